import { beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectToFit,
  hasBrowser,
  inAddress,
  pictureOf,
  startConsole,
} from '../helpers/console.ts';
import { send } from '../helpers/service.ts';

/** Keeps what the map shows now, on white, as points of four numbers. */
const TAKE = `(() => {
  const map = document.querySelector('.map');
  const { left, top, width, height } = map.getBoundingClientRect();
  const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  for (const canvas of map.querySelectorAll(':scope > canvas')) {
    const box = canvas.getBoundingClientRect();
    context.drawImage(canvas, box.left - left, box.top - top, box.width, box.height);
  }
  (window.taken ??= []).push(context.getImageData(0, 0, width, height).data);
})()`;

/** Whether the picture that was taken last is another one than the first. */
const HAS_CHANGED = `(() => {
  const [first, last] = [window.taken[0], window.taken.at(-1)];
  return first.some((value, i) => value !== last[i]);
})()`;

/** Points of four pictures that were taken one after the other: before, twice during, and after a change. */
const COMPARE = `(() => {
  const [before, early, late, after] = window.taken;
  const same = { points: 0, shown: 0 };
  const other = { points: 0, sudden: 0, goes: 0, comes: 0 };
  for (let i = 0; i < before.length; i++) {
    const [a, b, c, d] = [before[i], early[i], late[i], after[i]];
    const isBetween = (value) => Math.min(a, d) < value && value < Math.max(a, d);
    if (a === d) {
      same.points++;
      if (Math.abs(a - b) <= 2 && Math.abs(a - c) <= 2) same.shown++;
    } else if (Math.abs(a - d) > 40) {
      other.points++;
      if (b === d || c === a) other.sudden++;
      if (isBetween(b) && c === d) other.goes++;
      if (b === a && isBetween(c)) other.comes++;
    }
  }
  return { same, other };
})()`;
type Compared = {
  same: { points: number; shown: number };
  other: { points: number; sudden: number; goes: number; comes: number };
};
describe.skipIf(!hasBrowser)('the plans of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole();
    // The morning needs vehicles elsewhere than the evening: each plan has arcs that the other lacks.
    const bodies = [
      { constraints: { min_service_level: 0.95 }, horizon_hours: 12, demand: 'upper' },
      { constraints: { min_service_level: 0.98 } },
    ];
    for (const body of bodies) {
      expect((await send(`${fleet.url}/api/v1/decisions`, { body })).status).toBe(200);
    }
  });

  test('are found by what they serve, cost and when they were made', async () => {
    const { page, close } = await fleet.open('/plans');
    await page.getByRole('heading', { level: 1, name: /^2 plans: 95\.0%–98\.0% of demand served/ }).waitFor();
    const rows = page.getByRole('table', { name: 'Plans' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Served, at least %').fill('97');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^1 plan: / }).waitFor();
    await expect.poll(() => inAddress(page, 'coverage')).toBe('97');
    await page.getByLabel('Cost, at most').fill('1');
    await page.keyboard.press('Enter');
    await page.getByText('No plan fits.').waitFor();
    await close();
  });

  test('are compared by two ticks: figures, locations, and both on the map, from the address as well', async () => {
    const { page, close } = await fleet.open('/plans');
    const ticks = page.getByRole('checkbox', { name: /^Compare the plan of/ });
    await ticks.nth(1).check();
    await ticks.nth(0).check();
    const comparison = page.getByRole('region', { name: 'The second plan, compared with the first' });
    await comparison.getByText('+3.0 points').waitFor();
    await comparison.locator('.map > canvas').waitFor();
    await comparison.locator('.legend').getByText('capacity after the moves').waitFor();
    const second = comparison.getByRole('button', { name: 'Second plan' });
    await expect.poll(() => second.getAttribute('aria-pressed')).toBe('true');
    await comparison.getByRole('button', { name: 'First plan' }).click();
    await expect.poll(() => second.getAttribute('aria-pressed')).toBe('false');
    const changes = comparison.getByRole('table', { name: 'Locations that differ' });
    await expect.poll(() => changes.locator('tbody tr').count()).toBeGreaterThan(5);
    await expectAccessible(page);
    await page.reload();
    await comparison.getByText('+3.0 points').waitFor();
    await close();
  });

  test('have a point each of cost against coverage, and a click on one ticks its plan', async () => {
    const { page, close } = await fleet.open('/plans');
    await page.getByRole('img', { name: 'Cost against coverage' }).waitFor();
    const ticks = page.getByRole('checkbox', { name: /^Compare the plan of/ });
    const points = page.locator('.scatter circle');
    await expect.poll(() => points.count()).toBe(await ticks.count());
    await points.first().click();
    await page.getByRole('checkbox', { name: /^Compare the plan of/, checked: true }).waitFor();
    await close();
  });

  test('become each other on the map within 400 ms: arcs of one go, those of the other come, and the rest stays', async () => {
    const { page, close } = await fleet.open('/plans', { prepare: (page) => page.clock.install() });
    const ticks = page.getByRole('checkbox', { name: /^Compare the plan of/ });
    await ticks.nth(1).check();
    await ticks.nth(0).check();
    const second = await pictureOf(page);
    await page.clock.pauseAt(await page.evaluate<number>('Date.now() + 60_000'));
    await page.evaluate(TAKE);
    await page.getByRole('button', { name: 'First plan' }).click();
    await page.evaluate(TAKE);
    while (!(await page.evaluate<boolean>(HAS_CHANGED))) {
      await page.clock.runFor(16);
      await page.evaluate(`window.taken.pop(); ${TAKE}`);
    }
    await page.clock.runFor(176);
    await page.evaluate(TAKE);
    await page.clock.runFor(224);
    await page.evaluate(TAKE);
    const { same, other } = await page.evaluate<Compared>(COMPARE);
    expect(same.points).toBeGreaterThan(100_000);
    // Where arcs cross of which one goes and one comes, the ground is seen between.
    expect(same.shown / same.points).toBeGreaterThan(0.999);
    expect(other.points).toBeGreaterThan(100);
    expect(other.goes).toBeGreaterThan(100);
    expect(other.comes).toBeGreaterThan(0);
    expect(other.sudden / other.points).toBeLessThan(0.01);
    // Whoever wants no motion has the other plan at once.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Second plan' }).click();
    await page.clock.runFor(100);
    await page.clock.resume();
    expect(await pictureOf(page)).toBe(second);
    await close();
  });

  test('fit a phone', async () => {
    const { page, close } = await fleet.open('/plans', { width: 390, height: 844, colours: 'dark' });
    await page.getByRole('table', { name: 'Plans' }).waitFor();
    await expectToFit(page);
    await expectAccessible(page);
    await close();
  });
});
