import { globSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../src/commands/start/build-console.ts';
import { send, startTestService } from '../helpers/service.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('the guide', () => {
  let base: string;
  const pages = new Map<string, string>();
  beforeAll(async () => {
    // Each page links to the console.
    await buildConsole();
    base = (await startTestService({})).url;
    const waiting = ['/guide/docs/README.md'];
    for (const url of waiting) {
      if (pages.has(url)) continue;
      const answer = await fetch(`${base}${url}`);
      expect(answer.status, url).toBe(200);
      expect(answer.headers.get('content-type'), url).toBe('text/html; charset=utf-8');
      pages.set(url, await answer.text());
      waiting.push(...linksOf(url).filter((link) => link.endsWith('.md')));
    }
  });

  /** The paths that a page links to, and those of its pictures, without anchors. */
  function linksOf(url: string): string[] {
    const found = [...pages.get(url)!.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!);
    const own = found.filter((link) => !/^[a-z]+:/.test(link));
    return own.map((link) => new URL(link, `${base}${url}`).pathname);
  }

  test('begins at /guide, and leads to every page of docs and every README of the sources', async () => {
    const answer = await fetch(`${base}/guide`, { redirect: 'manual' });
    expect(answer.headers.get('location')).toBe('/guide/docs/README.md');
    const files = globSync(['docs/**/*.md', 'src/core/**/README.md', '*.md'], { cwd: ROOT });
    expect(files.length).toBeGreaterThan(30);
    expect([...pages.keys()]).toEqual(expect.arrayContaining(files.map((file) => `/guide/${file}`)));
  });

  test('has no link, picture or anchor that leads nowhere', async () => {
    const seen = new Set([...pages.keys()].flatMap(linksOf));
    for (const link of seen) {
      if (!pages.has(link)) expect((await fetch(`${base}${link}`)).status, link).toBe(200);
    }
    expect([...seen].some((link) => link.endsWith('.svg'))).toBe(true);
    for (const [url, html] of pages) {
      for (const [, link] of html.matchAll(/href="([^"]*#[^"]+)"/g)) {
        if (/^[a-z]+:/.test(link!)) continue;
        const { pathname, hash } = new URL(link!, `${base}${url}`);
        expect(pages.get(pathname), `${url}: ${link}`).toContain(`id="${decodeURIComponent(hash.slice(1))}"`);
      }
    }
  });

  test.each([
    ['docs/data.md', 'docs/client/data.md'],
    ['docs/analysts.md', 'docs/analyst/sql.md'],
    ['docs/adr/0005-two-queue-backends.md', 'docs/contributor/adr/0005-two-queue-backends.md'],
  ])('leads from %s, where a page once stood, to %s', async (before, now) => {
    const answer = await fetch(`${base}/guide/${before}`, { redirect: 'manual' });
    expect(answer.status).toBe(301);
    expect(answer.headers.get('location')).toBe(`/guide/${now}`);
    expect(pages.has(`/guide/${now}`)).toBe(true);
  });

  test('shows links to source code as text', () => {
    expect(pages.get('/guide/CONTRIBUTING.md')).not.toMatch(/href="[^"]*\.ts"/);
  });

  test('serves no other file, wherever a path points', async () => {
    for (const file of [
      'package.json',
      'docs/none.md',
      '../package.json',
      '%2e%2e/package.json',
      '..%2fpackage.json',
    ]) {
      const answer = await send(`${base}/guide/${file}`);
      expect(answer.status, file).toBe(404);
      expect(answer.body.errors[0].code, file).toBe('RESOURCE_NOT_FOUND');
    }
  });
});
