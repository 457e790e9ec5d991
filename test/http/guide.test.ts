import { globSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../src/commands/start/build-console.ts';
import { findChromium, openBrowser, seriousFindings, watchPage } from '../helpers/browser.ts';
import { send, startTestService } from '../helpers/service.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const executable = findChromium();
if (!executable) console.warn('SKIPPED: /guide in a browser; no Chromium was found on PATH');

/** What the search shows first for words that readers type: page › section. */
const FOUND_FIRST = {
  demand: 'The API › Demand, capacity and a step',
  kill: 'Kills, restarts, cut connections: what was tried › What happens',
  retry: 'Client for TypeScript and JavaScript › Errors and retries',
  csv: 'Data in, as CSV or JSON',
  docks: 'The API › Docks, parking bays, and vehicles that stay',
  price: 'The API › The price of a lost trip',
  holiday: 'How good is a forecast? › Holidays and events',
  '422': 'The API › When there is no plan: 422',
  scale: 'Deployment › Scale: many machines',
  python: 'Python client',
};

describe('the guide', () => {
  let base: string;
  let browser: Browser;
  const pages = new Map<string, string>();
  beforeAll(async () => {
    if (executable) browser = await openBrowser(executable);
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

  afterAll(() => browser?.close());

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

  describe.skipIf(!executable)('in Chromium', () => {
    test('finds by words, with the keyboard alone, and asks no other host', async () => {
      const page = await browser.newPage();
      const { requested, complaints } = watchPage(page);
      await page.goto(`${base}/guide`, { waitUntil: 'networkidle' });
      await page.keyboard.press('/');
      await page.keyboard.type('xylophone');
      await page.getByText('Nothing is said of').waitFor();
      await page.getByRole('combobox').fill('retention_plan');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\.md#/);
      await page.getByText('RETENTION_PLAN_DAYS').first().waitFor();
      expect(complaints).toEqual([]);
      expect(requested.filter((url) => !url.startsWith(`${base}/`))).toEqual([]);
      await page.close();
    });

    test('finds first what a reader asks for', async () => {
      const page = await browser.newPage();
      await page.goto(`${base}/guide`);
      const first: Record<string, string> = {};
      for (const word of Object.keys(FOUND_FIRST)) {
        await page.getByRole('combobox').fill(word);
        const result = page
          .getByRole('option')
          .first()
          .filter({ hasText: new RegExp(word, 'i') });
        first[word] = (await result.locator('strong').textContent())!;
      }
      expect(first).toEqual(FOUND_FIRST);
      await page.close();
    });

    test.each([
      ['docs/README.md', 'light', 1280],
      ['docs/README.md', 'dark', 360],
      ['README.md', 'dark', 1280],
      ['docs/client/api.md', 'light', 360],
      ['docs/planner/console.md', 'dark', 1280],
    ] as const)('%s, %s, %i pixels wide: axe finds nothing serious', async (file, colorScheme, width) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      await page.goto(`${base}/guide/${file}`);
      await page.getByRole('combobox').fill('demand');
      await page.getByRole('option').first().waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await page.close();
    });

    test('draws the diagrams of the README and of the views', async () => {
      const page = await browser.newPage();
      const { complaints } = watchPage(page);
      for (const file of ['README.md', 'docs/analyst/sql.md']) {
        await page.goto(`${base}/guide/${file}`);
        await page.locator('.mermaid svg').waitFor();
      }
      expect(complaints).toEqual([]);
      await page.close();
    });

    test('fits a phone: nothing but code and tables scrolls to the side', async () => {
      const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
      for (const file of ['docs/README.md', 'docs/client/api.md', 'docs/operator/settings.md']) {
        await page.goto(`${base}/guide/${file}`);
        expect(await page.evaluate('document.documentElement.scrollWidth'), file).toBeLessThanOrEqual(360);
      }
      await page.close();
    });
  });
});
