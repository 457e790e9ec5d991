import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { watchPage } from '../helpers/browser.ts';
import { connectBrowser, hasBrowser } from '../helpers/console.ts';
import { startTestService } from '../helpers/service.ts';

describe.skipIf(!hasBrowser)('the pages of the documents, in Chromium', () => {
  let base: string;
  let browser: Browser;
  beforeAll(async () => {
    const service = await startTestService({ sample: true });
    base = service.url;
    browser = await connectBrowser();
  });

  /**
   * Opens a page, does something there, and makes sure that all it asked for came from the service, without a
   * complaint.
   */
  async function visit(path: string, work: (page: Page) => Promise<void>) {
    const page = await browser.newPage();
    const { requested, complaints } = watchPage(page);
    await page.goto(`${base}${path}`, { waitUntil: 'networkidle' });
    await work(page);
    expect(complaints).toEqual([]);
    const elsewhere = requested.filter((url) => !url.startsWith(`${base}/`) && !/^(data|blob):/.test(url));
    expect(elsewhere).toEqual([]);
    expect(requested.length).toBeGreaterThan(3);
    await page.close();
  }

  /** Sends the example of an operation from Swagger UI. @returns the status that it shows */
  async function execute(page: Page, tag: string, operationId: string) {
    const operation = page.locator(`#operations-${tag}-${operationId}`);
    await operation.locator('.opblock-summary').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const status = operation.locator('.live-responses-table tbody .response-col_status').first();
    return (await status.textContent())?.trim();
  }

  test('/docs loads nothing from elsewhere, and sends the examples as they stand', async () => {
    await visit('/docs', async (page) => {
      expect(await execute(page, 'data', 'change_vehicle')).toMatch(/^200/);
      expect(await execute(page, 'optimize', 'optimize')).toMatch(/^200/);
      expect(await execute(page, 'risk', 'score_risk')).toMatch(/^200/);
    });
  });

  test('/redoc loads nothing from elsewhere, shows every operation and finds by words', async () => {
    await visit('/redoc', async (page) => {
      await page.getByRole('heading', { name: 'Change one vehicle' }).waitFor();
      await page.getByRole('textbox', { name: 'Search' }).pressSequentially('vehicle');
      await page.locator('[data-role="search:results"] li').first().waitFor();
    });
  });
});
