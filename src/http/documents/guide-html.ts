import { contentsOf, FIRST_PAGE, type Guide, resolveTarget } from './guide-pages.ts';

const DIAGRAM_SCRIPTS =
  '<script defer src="/guide/assets/mermaid.js"></script>' +
  '<script type="module" src="/guide/assets/diagrams.js"></script>';

/**
 * A page of the guide as HTML. Without scripts it can be read and followed; the script adds the search.
 *
 * @param file path of the page, for example `docs/client/api.md`
 */
export function pageHtml(guide: Guide, file: string): string {
  const page = guide.pages.get(file)!;
  const isServed = (target: string) => {
    const found = resolveTarget(file, target);
    return guide.pages.has(found) || guide.pictures.has(found);
  };
  const navigation = guide.navigation
    .map(({ readers, links }) => {
      const items = links
        .filter((link) => guide.pages.has(link.file))
        .map(({ title, file: linked }) => {
          const current = linked === file ? ' aria-current="page"' : '';
          return `<li><a href="/guide/${linked}"${current}>${encode(title)}</a></li>`;
        });
      return `<h2>${encode(readers)}</h2><ul>${items.join('')}</ul>`;
    })
    .join('\n');
  const headings = contentsOf(page)
    .map(({ text, anchor }) => `<li><a href="#${anchor}">${encode(text)}</a></li>`)
    .join('');
  const contents = headings === '' ? '' : `<h2>On this page</h2><ul>${headings}</ul>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${encode(page.title)} – Fleet Decision Service</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="/guide/assets/guide.css">
<script type="module" src="/guide/assets/guide.js"></script>
${page.hasDiagram ? DIAGRAM_SCRIPTS : ''}
</head>
<body>
<a class="skip" href="#page">Skip to the page</a>
<header>
<a class="name" href="/guide/${FIRST_PAGE}">Fleet Decision Service</a>
<search>
<input id="search" type="search" placeholder="Search the guide ( / )" aria-label="Search the guide"
  autocomplete="off" role="combobox" aria-expanded="false" aria-controls="results">
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
</search>
<nav aria-label="Service"><a href="/console">Console</a> <a href="/docs">API</a></nav>
</header>
<div class="columns">
<details class="pages" open><summary>Pages</summary><nav aria-label="Pages">${navigation}</nav></details>
<main id="page" tabindex="-1">
${page.html(isServed)}
</main>
<nav class="contents" aria-label="On this page">${contents}</nav>
</div>
</body>
</html>
`;
}

function encode(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
