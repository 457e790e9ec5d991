import { beforeAll, describe, expect, test } from 'vitest';
import { localHour } from '../../console/src/city-time.ts';
import { seriesOf } from '../../console/src/pages/forecast/series.ts';
import {
  addressOf,
  expectAccessible,
  expectToFit,
  hasBrowser,
  inAddress,
  startConsole,
} from '../helpers/console.ts';
import { send } from '../helpers/service.ts';

const HOUR = 3_600_000;
describe('history and forecast on one axis', () => {
  const at = (text: string) => Date.parse(text);
  const day = at('2017-03-12T00:00:00Z') / HOUR;

  test('count hours of the local clock, also over a change of it', () => {
    const zone = 'America/New_York';
    expect(localHour(at('2017-03-12T06:00:00Z'), zone)).toBe(day + 1);
    expect(localHour(at('2017-03-12T07:00:00Z'), zone)).toBe(day + 3);
    expect(localHour(at('2017-03-12T04:00:00Z'), 'Asia/Kolkata')).toBe(day + 9);
  });

  test('hold only steps of which everything was observed, and a day with an hour less is whole', () => {
    const hours = (from: string, length: number) =>
      Array.from({ length }, (_, i) => ({
        location_id: 1,
        hour: new Date(at(from) + i * HOUR).toISOString(),
        demand: 2,
      }));
    const forecast = {
      forecasts: { 1: [50, 60] },
      intervals: { 1: { lower: [40, 41], upper: [70, 71] } },
      metadata: { step_hours: 24, start_date: '2017-03-13' },
    } as never;
    // 10 March lacks two hours, 12 March has 23.
    const rows = [...hours('2017-03-10T07:00:00Z', 22), ...hours('2017-03-11T05:00:00Z', 24 + 23)];
    const series = seriesOf(forecast, 1, rows, 'America/New_York', 3);
    expect(series).toEqual({
      hours: [day - 48, day - 24, day, day + 24, day + 48],
      observed: [null, 48, 46, null, null],
      expected: [null, null, null, 50, 60],
      lower: [null, null, null, 40, 41],
      upper: [null, null, null, 70, 71],
    });
  });
});

describe.skipIf(!hasBrowser)('the forecast page of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole();
  });

  test('says what is expected and how far off such forecasts were, and keeps what was chosen in the address', async () => {
    const { page, close } = await fleet.open('/forecast?location=161&days=1');
    const sentence = page.getByRole('heading', {
      level: 1,
      name: /^Midtown Center: [\d,]+ trips expected on Thursday, May 4, 2017; most at Thu, May 4, \d\d:00: [\d,]+ \([\d,]+–[\d,]+ at 80%\); forecasts like this one were [\d.]+% off\.$/,
    });
    await sentence.waitFor();
    const { data } = (
      await send(`${fleet.url}/api/v1/forecast`, {
        body: { location_ids: [161], horizon_hours: 24, features: { step_hours: 1 } },
      })
    ).body;
    const total = data.forecasts[161].reduce((sum: number, value: number) => sum + value, 0);
    await expect
      .poll(() => sentence.textContent())
      .toContain(`${Math.round(total).toLocaleString('en-US')} trips`);

    await page.getByRole('combobox', { name: /^By/ }).selectOption('24');
    await page.getByLabel('Location').selectOption({ label: 'Union Sq' });
    await page.getByRole('heading', { level: 1, name: /^Union Sq: .*most at Thu, May 4:/ }).waitFor();
    await expect.poll(() => addressOf(page)).toMatch(/\?location=234&days=1&step=24$/);
    const rows = page
      .getByRole('table', { name: 'Demand of Union Sq, observed and forecast' })
      .locator('tbody tr');
    // Two weeks observed, a day ahead.
    await expect.poll(() => rows.count()).toBe(15);
    await expect.poll(() => rows.nth(13).textContent()).toMatch(/^Wed, May 3–––[\d,]+$/);
    await expect.poll(() => rows.nth(14).textContent()).toMatch(/^Thu, May 4[\d,]+–$/);
    await close();
  });

  test('has wider intervals where more confidence is asked for', async () => {
    const { page, close } = await fleet.open('/forecast?location=161&days=1');
    const sentence = page.getByRole('heading', { level: 1, name: /at 80%/ });
    const widthIn = (text: string) => {
      const [, lower, upper] = /\(([\d,]+)–([\d,]+) at/.exec(text)!;
      return Number(upper.replaceAll(',', '')) - Number(lower.replaceAll(',', ''));
    };
    const usual = widthIn((await sentence.textContent())!);
    await page.getByRole('combobox', { name: /^Interval/ }).selectOption('0.95');
    const wider = page.getByRole('heading', { level: 1, name: /at 95%/ });
    expect(widthIn((await wider.textContent())!)).toBeGreaterThan(usual);
    await expect.poll(() => inAddress(page, 'confidence')).toBe('0.95');
    await close();
  });

  test('shows what came beside a forecast of the past, and marks the events of those days', async () => {
    const event = { event_id: 'fair', location_id: 161, kind: 'fair', name: 'Street fair' };
    const hours = { from: '2017-04-20T14:00:00Z', to: '2017-04-20T22:00:00Z' };
    await send(`${fleet.url}/api/v1/data/events`, {
      method: 'PUT',
      body: { events: [{ ...event, ...hours }] },
    });
    const { page, close } = await fleet.open('/forecast?location=161&date=2017-04-20&days=2&step=24');
    const rows = page.getByRole('table', { name: /observed and forecast/ }).locator('tbody tr');
    await rows.nth(15).waitFor();
    await expect.poll(() => rows.nth(15).textContent()).not.toContain('–');
    await page
      .getByText('Street fair, from Apr 20, 2017, 10:00 AM EDT to Apr 20, 2017, 06:00 PM EDT')
      .waitFor();
    await close();
  });

  test('tests past forecasts as a job, shows the worst locations, and shows the same from the address', async () => {
    const { page, close } = await fleet.open('/forecast?location=161&days=2&step=24');
    await page.getByRole('button', { name: 'Test past forecasts by the day' }).click();
    const table = page.getByRole('table', { name: 'Errors of past forecasts by location' });
    await table.waitFor();
    await page.getByText(/^All locations: [\d.]+% off; .* Forecast from 8 days/).waitFor();
    await page.locator('.multiples .chart').nth(5).waitFor();
    await expectAccessible(page);
    const worst = (await table.locator('tbody tr').first().locator('td').first().textContent())!;
    await table.locator('tbody tr').first().click();
    await page.getByRole('heading', { level: 1, name: new RegExp(`^${worst}: `) }).waitFor();
    await expect.poll(() => inAddress(page, 'backtest')).toMatch(/^bt_/);
    await page.reload();
    await table.waitFor();
    await close();
  });

  test('has nothing serious for axe on a phone in the dark, and does not scroll sideways', async () => {
    const { page, close } = await fleet.open('/forecast', { width: 390, colours: 'dark' });
    await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await close();
  });
});
