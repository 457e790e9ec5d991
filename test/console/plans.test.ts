import { beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../helpers/browser.ts';
import { addressOf, startConsole } from '../helpers/console.ts';
import { send } from '../helpers/service.ts';

const executable = findChromium();
if (!executable) console.warn('SKIPPED: the plans of the console; no Chromium was found on PATH');

describe.skipIf(!executable)('the plans of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole(executable!);
    for (const min_service_level of [0.95, 0.98]) {
      const body = { constraints: { min_service_level } };
      expect((await send(`${fleet.url}/api/v1/decisions`, { body })).status).toBe(200);
    }
  });

  test('are found by what they serve, cost and when they were made', async () => {
    const { page, close } = await fleet.open('/plans');
    await page.getByRole('heading', { level: 1, name: /^2 plans: 95\.0%–98\.0% of demand served/ }).waitFor();
    const rows = page.getByRole('table', { name: 'Plans' }).locator('tbody tr');
    expect(await rows.count()).toBe(2);
    await page.getByLabel('Served, at least %').fill('97');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^1 plan: / }).waitFor();
    expect(new URL(await addressOf(page)).searchParams.get('coverage')).toBe('97');
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
    expect(await second.getAttribute('aria-pressed')).toBe('true');
    await comparison.getByRole('button', { name: 'First plan' }).click();
    expect(await second.getAttribute('aria-pressed')).toBe('false');
    const changes = comparison.getByRole('table', { name: 'Locations that differ' });
    expect(await changes.locator('tbody tr').count()).toBeGreaterThan(5);
    expect(await fleet.serious(page)).toEqual([]);
    await page.reload();
    await comparison.getByText('+3.0 points').waitFor();
    await close();
  });

  test('fit a phone', async () => {
    const { page, close } = await fleet.open('/plans', { width: 390, height: 844, colours: 'dark' });
    await page.getByRole('table', { name: 'Plans' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await fleet.serious(page)).toEqual([]);
    await close();
  });
});
