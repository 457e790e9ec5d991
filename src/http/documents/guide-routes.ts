import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { AppError } from '../../answers/errors.ts';
import type { App } from '../deps.ts';
import { pageHtml } from './guide-html.ts';
import { FIRST_PAGE, type Guide, movedPage, readGuide, searchEntries } from './guide-pages.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PICTURE_TYPES: Record<string, string> = { '.svg': 'image/svg+xml', '.webp': 'image/webp' };
/** A page of this version may be shown for this long after an upgrade. */
const CACHE = 'public, max-age=300';

const { resolve } = createRequire(import.meta.url);
const ASSETS = {
  'guide.css': { type: 'text/css', file: new URL('assets/guide.css', import.meta.url) },
  'guide.js': { type: 'text/javascript', file: new URL('assets/guide.js', import.meta.url) },
  'diagrams.js': { type: 'text/javascript', file: new URL('assets/diagrams.js', import.meta.url) },
  'minisearch.js': {
    type: 'text/javascript',
    file: path.join(path.dirname(resolve('minisearch')), '../es/index.js'),
  },
  'mermaid.js': {
    type: 'text/javascript',
    file: resolve('@mermaid-js/tiny'),
  },
} as const;

/**
 * /guide: the Markdown of the project as a site. Each file has its own path, so links and pictures lead where they
 * lead in the repository. The files are read when the guide is first asked for. Pages load nothing from other hosts.
 */
export function registerGuide(app: App): void {
  let read: { guide: Guide; html: Map<string, string>; search: string } | undefined;
  const guide = () => {
    if (read === undefined) {
      const found = readGuide(ROOT);
      read = { guide: found, html: new Map(), search: JSON.stringify(searchEntries(found)) };
    }
    return read;
  };

  const hidden = { schema: { hide: true } };
  for (const url of ['/guide', '/guide/']) {
    app.get(url, hidden, (_request, reply) => reply.redirect(`/guide/${FIRST_PAGE}`));
  }
  for (const [name, { type, file }] of Object.entries(ASSETS)) {
    app.get(`/guide/assets/${name}`, hidden, async (_request, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .header('cache-control', CACHE)
        .send(await readFile(file)),
    );
  }
  app.get('/guide/search.json', hidden, (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', CACHE).send(guide().search),
  );
  app.get<{ Params: { '*': string } }>('/guide/*', hidden, async (request, reply) => {
    const file = request.params['*'];
    const { guide: known, html } = guide();
    reply.header('cache-control', CACHE);
    if (known.pictures.has(file)) {
      return reply.type(PICTURE_TYPES[path.extname(file)]!).send(await readFile(path.join(ROOT, file)));
    }
    if (!known.pages.has(file)) {
      const moved = movedPage(known, file);
      if (moved !== undefined) return reply.redirect(`/guide/${moved}`, 301);
      throw new AppError(
        'RESOURCE_NOT_FOUND',
        `the guide has no page ${JSON.stringify(file)}; /guide lists its pages`,
      );
    }
    if (!html.has(file)) html.set(file, pageHtml(known, file));
    return reply.type('text/html; charset=utf-8').send(html.get(file));
  });
}
