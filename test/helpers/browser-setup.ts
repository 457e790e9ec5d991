import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { BROWSER_SWITCHES, findChromium, MAX_WAIT_MS } from './browser.ts';

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface ProvidedContext {
    /** WebSocket URL of this run's Chromium; empty if none was found: tests in a browser are then skipped */
    browserUrl: string;
  }
}

/** One Chromium for the run. Each test file has pages and profiles of its own in it. */
export default async function setup(project: TestProject) {
  const executablePath = findChromium();
  if (!executablePath) {
    console.warn(
      '\n  ############################################################################\n' +
        '  #  No Chromium: every test of the console in a browser is SKIPPED.         #\n' +
        '  #  Install chromium or google-chrome, so that it is on PATH.               #\n' +
        '  ############################################################################\n',
    );
  }
  const server = executablePath
    ? await chromium.launchServer({
        executablePath,
        args: BROWSER_SWITCHES,
        host: '127.0.0.1',
        timeout: MAX_WAIT_MS,
      })
    : undefined;
  project.provide('browserUrl', server?.wsEndpoint() ?? '');
  return () => server?.close();
}
