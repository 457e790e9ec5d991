import { text } from 'node:stream/consumers';
import { type Browser, chromium, type Download, type Locator, type Page } from 'playwright-core';
import { expect, inject, vi } from 'vitest';
import { buildConsole } from '../../src/commands/start/build-console.ts';
import type { Config } from '../../src/config.ts';
import { atEnd } from './at-end.ts';
import { MAX_WAIT_MS, patient, seriousFindings, watchPage } from './browser.ts';
import { startTestService } from './service.ts';

/** Whether there is a Chromium: `browser-setup.ts` says so if there is none. */
export const hasBrowser = inject('browserUrl') !== '';

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

/** A parameter of that address; null without it. */
export async function inAddress(page: Page, name: string): Promise<string | null> {
  return new URL(await addressOf(page)).searchParams.get(name);
}

/** The text of a file that a page hands out. The browser has its files to itself. */
export async function textOfDownload(download: Promise<Download>): Promise<string> {
  return text(await (await download).createReadStream());
}

/** Presses g and then the key of a page. Together, since the page forgets a g that stays alone for long. */
export async function pressGo(page: Page, key: string): Promise<void> {
  await Promise.all(['g', key].map((each) => page.keyboard.press(each)));
}

/** Where an element is in the window, once it is there: Playwright's own answer does not wait for it. */
export function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  return locator.evaluate((element) => element.getBoundingClientRect().toJSON());
}

/** Makes sure that axe-core finds nothing serious once the page rests: colours that fade in are no fault. */
export function expectAccessible(page: Page): Promise<void> {
  return expect.poll(() => seriousFindings(page)).toEqual([]);
}

/** Makes sure that a page does not scroll sideways in its window. */
export function expectToFit(page: Page): Promise<void> {
  const beyond = 'document.documentElement.scrollWidth - window.innerWidth';
  return expect.poll(() => page.evaluate<number>(beyond)).toBeLessThanOrEqual(0);
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

/** This run's Chromium, with pages for this test file alone, which are closed at its end. */
export async function connectBrowser(): Promise<Browser> {
  const browser = patient(await chromium.connect(inject('browserUrl'), { timeout: MAX_WAIT_MS }));
  atEnd(() => browser.close());
  return browser;
}

/** Opens a page of the console of a service: what comes after /console. */
export async function openPage(browser: Browser, url: string, path: string, look: Look = {}) {
  const { width = 1440, height = 900, colours = 'light' } = look;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: colours });
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

/** The console as it is built from the sources, of a service with the sample, in a browser. */
export async function startConsole(options: { apis?: number; overrides?: Partial<Config> } = {}) {
  await buildConsole();
  const service = await startTestService({ ...options, sample: true });
  const browser = await connectBrowser();
  const open = (path: string, look: Look = {}) =>
    openPage(look.browser ?? browser, look.service ?? service.url, path, look);
  return { ...service, browser, open };
}
