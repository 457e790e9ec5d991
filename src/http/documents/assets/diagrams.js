const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
globalThis.mermaid.initialize({
  startOnLoad: false,
  theme: isDark ? 'dark' : 'neutral',
  // The theme's own ground of labels is too light for their text.
  themeVariables: isDark ? { edgeLabelBackground: '#1c2229' } : {},
  securityLevel: 'strict',
});
await globalThis.mermaid.run({ querySelector: '.mermaid' });
