import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** The Chromium of this machine; undefined if there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find(existsSync);
}

/** A wait of Playwright only catches what hangs, and says what it waited for before the test's own time-out ends it. */
export const MAX_WAIT_MS = 280_000;

/**
 * No access to anything but this machine. Without a GPU it paints in software and emulates WebGL alone, as it does for
 * users: emulating all of a GPU is several times slower.
 */
export const BROWSER_SWITCHES = [
  '--enable-unsafe-swiftshader',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/**
 * Starts it without a window, with a new profile.
 * @param more switches of its command line
 */
export async function openBrowser(executablePath: string, more: string[] = []): Promise<Browser> {
  const args = [...BROWSER_SWITCHES, ...more];
  return patient(await chromium.launch({ executablePath, args, timeout: MAX_WAIT_MS }));
}

/** Makes a browser wait on its pages as long as tests wait for anything: no busy machine ends it. */
export function patient(browser: Browser): Browser {
  return browser.on('context', (context) => context.setDefaultTimeout(MAX_WAIT_MS));
}

/** The findings of axe-core in a page. */
type Finding = { id: string; impact: string; nodes: { html: string }[] };

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Findings that axe-core calls serious or critical, each with the elements that it means. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const { violations } = await page.evaluate<{ violations: Finding[] }>('axe.run()');
  const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return bad.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Said of every page with WebGL where that is emulated: Chromium copies its picture. */
const DRIVER = /GL Driver Message \(OpenGL, Performance/;

/** The network requests of a page, and its errors (including violations of its content policy). */
export function watchPage(page: Page): { requested: string[]; complaints: string[] } {
  const seen = { requested: [] as string[], complaints: [] as string[] };
  page.on('request', (request) => seen.requested.push(request.url()));
  page.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type()) && !DRIVER.test(message.text());
    if (isComplaint) seen.complaints.push(message.text());
  });
  page.on('pageerror', (error) => seen.complaints.push(String(error)));
  return seen;
}
