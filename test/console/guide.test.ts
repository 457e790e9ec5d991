import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../src/commands/start/build-console.ts';
import { watchPage } from '../helpers/browser.ts';
import { connectBrowser, expectAccessible, expectToFit, hasBrowser } from '../helpers/console.ts';
import { startTestService } from '../helpers/service.ts';

/** What the search shows first for words that readers type: page › section. */
const FOUND_FIRST = {
  demand: 'Data in, as CSV or JSON › Demand',
  kill: 'What we promise, and how we know › Killed, frozen, cut off',
  retry: 'Client for TypeScript and JavaScript › Errors and retries',
  csv: 'Data in, as CSV or JSON',
  docks: 'The API › Docks, parking bays, and vehicles that stay',
  price: 'The API › The price of a lost trip',
  holiday: 'How good is a forecast? › Holidays and events',
  '422': 'The API › When there is no plan: 422',
  scale: 'Deployment › Scale: many machines',
  python: 'Python client',
};

describe.skipIf(!hasBrowser)('the guide, in Chromium', () => {
  let base: string;
  let browser: Browser;
  beforeAll(async () => {
    // Each page links to the console.
    await buildConsole();
    base = (await startTestService({ workers: 0 })).url;
    browser = await connectBrowser();
  });

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
    const first = page.getByRole('option').first().locator('strong');
    for (const [word, found] of Object.entries(FOUND_FIRST)) {
      await page.getByRole('combobox').fill(word);
      await expect.poll(() => first.textContent(), { message: word }).toBe(found);
    }
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
    await expectAccessible(page);
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
      await expectToFit(page);
    }
    await page.close();
  });
});
