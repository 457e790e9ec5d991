import { effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';
const STORED = 'console-theme';

/** The reader's choice; `auto` follows the system. */
export const theme = signal<Theme>((localStorage.getItem(STORED) as Theme | null) ?? 'auto');

/** Counts changes of the colours that are shown, for pictures that are not drawn by style sheets. */
export const themeChanges = signal(0);

effect(() => {
  const chosen = theme.value;
  if (chosen === 'auto') localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, chosen);
  document.documentElement.dataset.theme = chosen;
  themeChanges.value = themeChanges.peek() + 1;
});

window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  themeChanges.value++;
});

/** A colour of the style sheet, as it is now: `colourOf('--accent')` is `rgb(…)`. */
export function colourOf(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
