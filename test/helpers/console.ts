import type { Browser, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { importSample } from '../../src/commands/import/sample.ts';
import { buildConsole } from '../../src/commands/start/build-console.ts';
import type { Config } from '../../src/config.ts';
import { atEnd } from './at-end.ts';
import { openBrowser, seriousFindings, watchPage } from './browser.ts';
import { startTestService } from './service.ts';

// Build, service, sample and browser at the start, then pages that wait for forecasts and plans: with a load of 20 on 2
// cores some waits took more than 30 s. The limits only catch what hangs.
const MAX_WAIT_MS = 120_000;
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

type Look = {
  width?: number;
  height?: number;
  colours?: 'light' | 'dark';
  /** Address of another API of the service. */
  service?: string;
  /** Another browser than that of the others. */
  browser?: Browser;
  /** Prepares the page before it loads anything. */
  prepare?: (page: Page) => Promise<void>;
};

/** The address as the page has it: `page.url()` hears of changes later. */
export function addressOf(page: Page): Promise<string> {
  return page.evaluate<string>('window.location.href');
}

/**
 * Reads from a page until there is something. Loops within a page have no limit, and the content policy forbids
 * Playwright's own wait for an expression.
 */
export function untilRead<T>(read: () => Promise<T | undefined>): Promise<T> {
  return vi.waitUntil(read, { timeout: MAX_WAIT_MS }) as Promise<T>;
}

const PICTURE = `(async () => {
  const shown = [...document.querySelectorAll('.map > canvas, .map.has-lit > .lit canvas')];
  const draw = () => shown.map((canvas) => canvas.toDataURL()).join();
  const picture = draw();
  for (let i = 0; i < 3; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
  return draw() === picture ? picture : undefined;
})()`;

/**
 * What is drawn on the map, once it rests: the same for three frames.
 * @param other a picture that it has to differ from: one before a change
 */
export async function pictureOf(page: Page, other = ''): Promise<string> {
  await page.locator('.map > canvas').waitFor();
  return untilRead(async () => {
    const picture = await page.evaluate<string | undefined>(PICTURE);
    return picture === other ? undefined : picture;
  });
}

/**
 * The console as it is built from the sources, of a service with the sample, in a browser.
 * @param executable path of the Chromium
 */
export async function startConsole(
  executable: string,
  options: { apis?: number; overrides?: Partial<Config> } = {},
) {
  await buildConsole();
  const service = await startTestService(options);
  await service.pool.query('delete from locations');
  await importSample(service.pool);
  const browser: Browser = await openBrowser(executable);
  atEnd(() => browser.close());

  /** Opens a page of the console: what comes after /console. */
  async function open(path: string, look: Look = {}) {
    const { width = 1440, height = 900, colours = 'light', service: url = service.url } = look;
    const page = await (look.browser ?? browser).newPage({
      viewport: { width, height },
      colorScheme: colours,
    });
    page.setDefaultTimeout(MAX_WAIT_MS);
    const { requested, complaints } = watchPage(page);
    await look.prepare?.(page);
    await page.goto(`${url}/console${path}`);
    /** Makes sure that nothing came from elsewhere and that nothing was complained about, and closes the page. */
    const close = async () => {
      expect(complaints).toEqual([]);
      const elsewhere = requested.filter(
        (asked) => !asked.startsWith(`${url}/`) && !/^(data|blob):/.test(asked),
      );
      expect(elsewhere).toEqual([]);
      await page.close();
    };
    return { page, requested, complaints, close };
  }

  return { ...service, browser, open, serious: seriousFindings };
}
