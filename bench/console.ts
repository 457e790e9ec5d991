/**
 * `npm run bench:console -- [--repeats 9] [--url http://127.0.0.1:8000]`: how long the pages of the console take in a
 * browser without a cache, from the navigation to the first paint, and to the sentence that answers. The
 * service runs with the sample and has made a plan, as after `npm start`. Pages take turns within each repeat.
 */
import { findChromium, openBrowser } from '../test/helpers/browser.ts';
import { readArguments, reportTable, spread, whole } from './cli.ts';

const PAGES: [name: string, path: string][] = [
  ['Today', ''],
  ['Map', '/map'],
  ['Jobs', '/jobs'],
  ['Plans', '/plans'],
  ['Forecast', '/forecast'],
];

/** The entry may come after the sentence stands in the document. */
const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
}).observe({ type: 'paint', buffered: true }))`;

const { repeats, url, json } = readArguments({ repeats: 9, url: 'http://127.0.0.1:8000' });
const chromium = findChromium();
if (!chromium) throw new Error('no Chromium was found on PATH');
const browser = await openBrowser(chromium);
const paints = PAGES.map((): number[] => []);
const answers = PAGES.map((): number[] => []);
try {
  // The first round warms the service, and is not counted.
  for (let r = -1; r < repeats; r++) {
    for (const [i, [, path]] of PAGES.entries()) {
      // A page in a context of its own has nothing in its cache.
      const page = await browser.newPage();
      await page.goto(`${url}/console${path}`);
      // The sentence says a number; the title that stands there before does not.
      await page.getByRole('heading', { level: 1, name: /\d/ }).waitFor();
      const answered = await page.evaluate<number>('performance.now()');
      const painted = await page.evaluate<number>(FIRST_PAINT);
      if (r >= 0) {
        paints[i].push(painted);
        answers[i].push(answered);
      }
      await page.close();
    }
  }
} finally {
  await browser.close();
}
reportTable(
  {
    columns: ['page', 'first paint, ms', 'answer, ms'],
    rows: PAGES.map(([name], i) => [name, spread(paints[i], whole), spread(answers[i], whole)]),
  },
  json,
);
