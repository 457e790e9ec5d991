/**
 * `npm run bench:console-map -- [--locations 2000] [--moves 5000] [--frames 180] [--repeats 5]`: how long frames of the
 * console's map take in a browser while a hand pans, zooms and points, and while one plan becomes another; beside
 * them MapLibre alone, without anything of ours, and what the browser itself takes to move a picture. Then how soon
 * a click on the map or the work list is seen. It needs no service: it answers what the page asks for.
 */
import type { Page } from 'playwright-core';
import { findChromium, openBrowser } from '../test/helpers/browser.ts';
import { percent, percentile, readArguments, reportTable } from './cli.ts';
import { serveCity } from './console-map-city.ts';

const WINDOW = { width: 1440, height: 900 };
/** 50 frames a second. */
const FRAME_MS = 20;
const CLICK_MS = 100;
const CLICKS = 20;
/** A gesture that is so slow ends before its last step. */
const MAX_GESTURE_MS = 6000;

type Gesture = 'pan' | 'zoom' | 'point' | 'change';

const MAP = '/console/map?plan=a';
const CASES: [name: string, path: string, gesture: Gesture][] = [
  ['an empty page: nothing is painted', '/empty', 'pan'],
  ['a picture as large as the map is moved', '/picture', 'point'],
  ['MapLibre alone, one colour: pan', '/library', 'pan'],
  ['MapLibre alone, one colour: zoom', '/library', 'zoom'],
  ['the map: pan', MAP, 'pan'],
  ['the map: zoom', MAP, 'zoom'],
  ['the map: point at locations', MAP, 'point'],
  ['two plans, a tenth of the moves differs: from one to the other', '/console/plans?a=a&b=c', 'change'],
  ['two plans, all moves differ: from one to the other', '/console/plans?a=a&b=b', 'change'],
];

/** Makes the map of a comparison as large as that of the map's own page. */
const AS_LARGE = '.comparison .columns { display: block } .compared { width: 792px; height: 900px }';

/** Makes a gesture with one step a frame. Evaluates to the times between its frames, in ms. */
const GESTURES = `(gesture, frames) => {
  const target = document.querySelector('.maplibregl-canvas') ?? document.querySelector('canvas');
  const box = target.getBoundingClientRect();
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const common = { bubbles: true, cancelable: true, view: window };
  const at = (share) => ({
    clientX: middle.x + 220 * Math.sin(share * 2 * Math.PI),
    clientY: middle.y + 160 * Math.sin(share * 4 * Math.PI),
  });
  const mouse = (type, share, more) =>
    target.dispatchEvent(new MouseEvent(type, { ...common, ...at(share), ...more }));
  const steps = {
    pan: (i) => mouse('mousemove', i / frames, { buttons: 1 }),
    zoom: (i) => target.dispatchEvent(new WheelEvent('wheel', {
      ...common, clientX: middle.x, clientY: middle.y, deltaY: 40 * Math.sin((i / frames) * 2 * Math.PI),
    })),
    point: (i) => mouse('mousemove', i / frames, { buttons: 0 }),
    // A change takes 24 frames at 60 a second, and some before them to draw the plan that is to come.
    change: (i) => i % 36 === 0 && document.querySelector('.toggle button[aria-pressed=false]').click(),
  };
  return new Promise((resolve) => {
    const times = [];
    if (gesture === 'pan') mouse('mousedown', 0, { buttons: 1 });
    const step = (now) => {
      times.push(now);
      const i = times.length - 1;
      if (i < frames && now - times[0] < ${MAX_GESTURE_MS}) {
        steps[gesture](i);
        requestAnimationFrame(step);
        return;
      }
      if (gesture === 'pan') mouse('mouseup', 1, {});
      resolve(times.slice(1).map((time, j) => time - times[j]));
    };
    requestAnimationFrame(step);
  });
}`;

/** From here on, the page keeps how long each click took until its effect was painted. */
const WATCH_CLICKS = `new PerformanceObserver((list) => {
  for (const { name, duration } of list.getEntries()) if (name === 'click') (window.clicks ??= []).push(duration);
}).observe({ type: 'event', durationThreshold: 16 })`;

const { locations, moves, frames, repeats, json } = readArguments({
  locations: 2000,
  moves: 5000,
  frames: 180,
  repeats: 5,
});

/** A page that rests: its map is drawn, and a second without anything has gone by. */
async function openPage(newPage: () => Promise<Page>, address: string): Promise<Page> {
  const page = await newPage();
  await page.goto(address);
  await page.locator('canvas').first().waitFor();
  await page.waitForTimeout(1000);
  return page;
}

/** Clicks with a real mouse, and how long each took, in ms; what took less than 16 counts as 16. */
async function takeClicks(page: Page, click: (i: number) => Promise<void>): Promise<number[]> {
  await page.evaluate(WATCH_CLICKS);
  for (let i = 0; i < CLICKS; i++) await click(i);
  await page.waitForTimeout(500);
  const seen = await page.evaluate<number[]>('window.clicks ?? []');
  return [...seen, ...Array.from({ length: Math.max(0, CLICKS - seen.length) }, () => 16)];
}

const executable = findChromium();
if (!executable) throw new Error('no Chromium was found on PATH');
const server = await serveCity(locations, moves);
const browser = await openBrowser(executable);
const control = await browser.newBrowserCDPSession();
const taken = CASES.map((): number[] => []);
/** Of the processor, in ms a frame: unlike the times of frames, it does not grow with what else the machine does. */
const worked = CASES.map((): number[] => []);
const onMap: number[] = [];
const onList: number[] = [];
/** What all processes of the browser have worked so far. */
async function processorMs(): Promise<number> {
  const { processInfo } = await control.send('SystemInfo.getProcessInfo');
  return 1000 * processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
const newPage = () => browser.newPage({ viewport: WINDOW });
try {
  for (let r = 0; r < repeats; r++) {
    for (const [i, [, address, gesture]] of CASES.entries()) {
      const page = await openPage(newPage, `${server.url}${address}`);
      if (gesture === 'change') {
        await page.addStyleTag({ content: AS_LARGE });
        await page.waitForTimeout(1000);
      }
      const before = await processorMs();
      const times = await page.evaluate<number[]>(`(${GESTURES})('${gesture}', ${frames})`);
      worked[i].push(((await processorMs()) - before) / times.length);
      taken[i].push(...times);
      await page.close();
    }
    const page = await openPage(newPage, `${server.url}${MAP}`);
    const box = (await page.locator('.map').boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    onMap.push(
      ...(await takeClicks(page, (i) => page.mouse.click(x + 12 * (i - CLICKS / 2), y - 40 + 7 * i))),
    );
    await page.close();
    const other = await openPage(newPage, `${server.url}${MAP}`);
    const rows = other.locator('.work-list tbody tr');
    onList.push(...(await takeClicks(other, (i) => rows.nth(i).click())));
    await other.close();
  }
} finally {
  await browser.close();
  server.close();
}

const ms = (value: number) => value.toFixed(1);
function rowOf(name: string, times: number[], limit: number): string[] {
  const within = times.filter((time) => time <= limit).length / times.length;
  const ends = [percentile(times, 0.5), percentile(times, 0.95), Math.max(...times)];
  return [name, ...ends.map(ms), percent(within)];
}
reportTable(
  {
    columns: ['what', 'frame, median ms', '95 %', 'worst', `within ${FRAME_MS} ms`, 'processor, ms'],
    rows: CASES.map(([name], i) => [...rowOf(name, taken[i], FRAME_MS), ms(percentile(worked[i], 0.5))]),
  },
  json,
);
reportTable(
  {
    columns: ['what', 'until it is seen, median ms', '95 %', 'worst', `within ${CLICK_MS} ms`],
    rows: [rowOf('a click on the map', onMap, CLICK_MS), rowOf('a click on the work list', onList, CLICK_MS)],
  },
  json,
  'clicks',
);
