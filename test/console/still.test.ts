import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, startConsole, untilRead } from '../helpers/console.ts';
import { seeds } from '../helpers/depth.ts';
import { send } from '../helpers/service.ts';

/** Sum of Chromium's layout shifts: the share of the window that moved, times how far, as a share of the window. */
const MOST_SHIFT = 0.05;
/** Both at full depth, else one of them, which changes with the days. */
const WIDTHS = [...seeds(0, 1)].map((i) => [1440, 390][i]);

/**
 * Keeps what moves, except within half a second of a hand's own click or key, or in the three frames after it where
 * these take longer.
 */
const WATCH = `window.moved = [];
window.hands = [];
for (const type of ['pointerdown', 'click', 'keydown']) addEventListener(type, ({ timeStamp }) => {
  const hand = { from: timeStamp, to: Infinity };
  window.hands.push(hand);
  const frame = (left) => requestAnimationFrame((now) => left > 0 ? frame(left - 1) : (hand.to = now));
  frame(3);
}, true);
const isByHand = (time) => window.hands.some(({ from, to }) => from <= time && time <= to);
window.watch = new PerformanceObserver((list) => window.keep(list.getEntries()));
window.keep = (entries) => {
  for (const { value, hadRecentInput, startTime, sources } of entries) if (!hadRecentInput && !isByHand(startTime)) window.moved.push({
    value,
    what: sources.map(({ node }) => (node?.className || node?.nodeName) + ': ' + node?.textContent?.slice(0, 40)),
  });
};
window.watch.observe({ type: 'layout-shift', buffered: true });`;
const FRAMES = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`;
const READ = `${FRAMES}.then(() => { window.keep(window.watch.takeRecords()); return window.moved; })`;

type Moved = { value: number; what: string[] };

/** Answers of the service come one by one, each after what came before it was painted: the worst order for a page. */
async function comeSlowly(page: Page): Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  await page.addInitScript(WATCH);
  await page.route('**/api/v1/**', (route) => {
    before = before
      .then(() => page.evaluate(FRAMES))
      .then(() => route.fallback())
      // The page went on, or was closed.
      .catch(() => undefined);
  });
}

describe.skipIf(!hasBrowser)('the console moves nothing under the hand', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  let plans: string[];
  let short: string;
  let ahead: string;
  let replay: string;
  beforeAll(async () => {
    fleet = await startConsole();
    const post = async (path: string, body: object) =>
      (await send(`${fleet.url}/api/v1/${path}`, { body, headers: { prefer: 'wait=100' } })).body;
    const made = [await post('decisions', {}), await post('decisions', { demand: 'upper' })];
    plans = made.map(({ metadata }) => metadata.plan_id);
    const most = { constraints: { max_distance: 0.5, shortage: 'serve_most' } };
    short = (await post('decisions', most)).metadata.plan_id;
    ahead = (await post('decisions', { mode: 'horizon', start_date: '2017-05-03', horizon_hours: 3 })).data
      .decision_id;
    const replayed = await post('replays', {
      from: '2017-05-01',
      to: '2017-05-02',
      location_ids: [4, 12],
      policies: [{ mode: 'none' }],
      trips_per_vehicle_hour: 2,
      unmet_demand_cost: 6,
    });
    replay = replayed.data.replay_id;
  });

  async function open(path: string, width: number) {
    const { page } = await fleet.open(path, { width, height: width < 500 ? 844 : 900, prepare: comeSlowly });
    /** Checks that hardly anything has moved so far. */
    const isStill = async () => {
      const moved = await page.evaluate<Moved[]>(READ);
      const sum = moved.reduce((total, { value }) => total + value, 0);
      expect(sum, JSON.stringify(moved, null, 1)).toBeLessThan(MOST_SHIFT);
    };
    return { page, isStill };
  }
  const announced = (page: Page, text: RegExp) =>
    page.getByRole('status').filter({ hasText: text }).waitFor();

  test('and what does move is seen by these tests', async () => {
    const { page, isStill } = await open('/risk', 1440);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(
      "document.querySelector('h1').before(Object.assign(document.createElement('p'), { style: 'height: 300px' }))",
    );
    await expect(isStill()).rejects.toThrow(/to be less than/);
    await page.close();
  });

  describe.each(WIDTHS)('%d pixels wide', (width) => {
    test('Today: loaded, planned again, and without an answer', async () => {
      const { page, isStill } = await open('/', width);
      await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
      await page.getByLabel('Plan for').selectOption('mean');
      await page.getByRole('button', { name: 'Plan again' }).click();
      await announced(page, /^New plan/);
      await page.getByRole('button', { name: 'Plan again' }).waitFor();
      await isStill();
      // Until the new plan is read, the page is that of the one before.
      await page.reload();
      await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
      await page.route('**/api/v1/decisions', (route) => route.abort());
      await page.getByRole('button', { name: 'Plan again' }).click();
      await page.getByRole('alert').getByText('Start it, or wait, and try again.').waitFor();
      await isStill();
      await page.close();
    });

    test('Map: a location is pinned, a slider plans again, and what cannot be kept is said', async () => {
      const { page, isStill } = await open(`/map?plan=${plans[0]}&location=161`, width);
      await page.getByRole('region', { name: 'Midtown Center' }).waitFor();
      await page.locator('.map canvas').first().waitFor();
      await page.locator('#slider-ceiling').press('ArrowLeft');
      await announced(page, /^New plan/);
      await isStill();
      await page.locator('#slider-distance').press('Home');
      await page.locator('.conflict').waitFor();
      await isStill();
      await page.close();
    });

    test('Map: what is in conflict in the decided plan gives way to the plan of a slider', async () => {
      const { page, isStill } = await open(`/map?plan=${short}`, width);
      await page.locator('.side .conflict').waitFor();
      await page.locator('.map canvas').first().waitFor();
      await page.locator('#slider-distance').press('End');
      await announced(page, /^New plan/);
      await page.locator('.side .conflict').waitFor({ state: 'detached' });
      await isStill();
      await page.close();
    });

    test('Ahead: loaded, and planned again', async () => {
      const { page, isStill } = await open(`/ahead?decision=${ahead}`, width);
      await page.locator('.map canvas').first().waitFor();
      await page.getByRole('button', { name: 'Plan ahead' }).click();
      await announced(page, /^New plan/);
      await page.getByRole('button', { name: 'Plan ahead' }).waitFor();
      await isStill();
      await page.close();
    });

    test('Jobs: one comes, runs and ends while it is looked at, and the service goes away', async () => {
      const { page, isStill } = await open('/jobs', width);
      const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody tr');
      const before = await rows
        .count()
        .then(() => rows.first().waitFor())
        .then(() => rows.count());
      await send(`${fleet.url}/api/v1/decisions`, { body: {}, headers: { prefer: 'respond-async' } });
      await expect.poll(() => rows.count()).toBe(before + 1);
      await rows.first().click();
      await page.getByRole('region', { name: 'Job: decision' }).getByText('done', { exact: true }).waitFor();
      await isStill();
      await page.route('**/api/v1/jobs?*', (route) => route.abort());
      await page.getByRole('alert').waitFor();
      await isStill();
      await page.close();
    });

    test('Operations: loaded, and the service goes away and comes back', async () => {
      const { page, isStill } = await open('/operations', width);
      await page.getByRole('heading', { level: 1, name: /ended/ }).waitFor();
      await page.waitForLoadState('networkidle');
      await page.route('**/api/v1/operations', (route) => route.abort());
      const alert = page.getByRole('alert');
      await alert.waitFor();
      await isStill();
      await page.unroute('**/api/v1/operations');
      await alert.waitFor({ state: 'detached' });
      await isStill();
      await page.close();
    });

    test('Plans: two are chosen, and compared', async () => {
      const { page, isStill } = await open('/plans', width);
      const boxes = page.getByRole('checkbox');
      await boxes.first().check();
      await boxes.nth(1).check();
      await page
        .getByRole('region', { name: /compared/ })
        .locator('.map canvas')
        .first()
        .waitFor();
      await isStill();
      await page.close();
    });

    test.each([
      ['Replay', () => `/replay?replay=${replay}`, /serves/],
      ['Data', () => '/data?set=locations&row=161', /\d/],
      ['Risk', () => '/risk', /^Risk$/],
    ])('%s: loaded', async (_name, path, answer) => {
      const { page, isStill } = await open(path(), width);
      await page.getByRole('heading', { level: 1, name: answer }).waitFor();
      await page.waitForLoadState('networkidle');
      await isStill();
      await page.close();
    });

    test('Forecast: loaded, for another location, and put to the test', async () => {
      const { page, isStill } = await open('/forecast?days=1&step=6', width);
      const heading = page.getByRole('heading', { level: 1, name: /\d/ });
      await heading.waitFor();
      const sentence = await heading.textContent();
      await page.getByLabel('Location').selectOption({ index: 5 });
      await untilRead(async () => (await heading.textContent()) !== sentence || undefined);
      await page.getByRole('button', { name: /^Test/ }).click();
      await page.locator('.multiples figure').last().waitFor();
      await isStill();
      await page.close();
    });
  });

  test('the jobs in the table keep their places while a pointer is on it', async () => {
    const { page } = await open('/jobs', 1440);
    const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody tr');
    const first = await rows.first().textContent();
    await rows.first().hover();
    await send(`${fleet.url}/api/v1/decisions`, { body: {} });
    await page.getByText('1 new job above, once the pointer leaves the table').waitFor();
    await expect.poll(() => rows.first().textContent()).toBe(first);
    await page.getByRole('heading', { level: 1 }).hover();
    await expect.poll(() => rows.first().textContent()).not.toBe(first);
    await page.close();
  });
});
