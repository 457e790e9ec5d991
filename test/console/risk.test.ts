import { beforeAll, describe, expect, test } from 'vitest';
import { riskVehicleOf } from '../../clients/typescript/src/risk.ts';
import { binsOf } from '../../console/src/pages/risk/figures.ts';
import { expectAccessible, expectToFit, hasBrowser, inAddress, startConsole } from '../helpers/console.ts';
import { send } from '../helpers/service.ts';

describe('the figures of risk', () => {
  const stored = { vehicle_id: 'V', location_id: 1, status: 'operational', capacity: 1 } as const;

  test('are days up to the day, none before it, and unknown if one of them is', () => {
    const dates = { acquired_on: '2017-05-01', last_maintenance_on: '2017-06-01' };
    expect(riskVehicleOf({ ...stored, ...dates, utilization_rate: 0.5 }, '2017-05-04')).toEqual({
      id: 'V',
      age_days: 3,
      days_since_maintenance: 0,
      utilization_rate: 0.5,
    });
    expect(riskVehicleOf({ ...stored, ...dates }, '2017-05-04')).toBeUndefined();
  });

  test('fall into bins of which each has its lower bound, and the last one also 1', () => {
    const bins = binsOf([0, 0.05, 0.15, 0.3, 0.7, 1].map((risk_score) => ({ risk_score }) as never));
    expect(bins.flatMap((vehicles, i) => (vehicles > 0 ? [[i, vehicles]] : []))).toEqual([
      [0, 1],
      [1, 1],
      [3, 1],
      [6, 1],
      [14, 1],
      [19, 1],
    ]);
  });
});

describe.skipIf(!hasBrowser)('the risk of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole();
  });

  test('says how to store the figures it needs, then shows who is riskiest, why, and what would help', async () => {
    const empty = await fleet.open('/risk');
    await empty.page.getByRole('heading', { name: /^No vehicle has the figures/ }).waitFor();
    await expect
      .poll(() => empty.page.locator('pre').textContent())
      .toContain(`curl ${fleet.url}/api/v1/data/fleet/NYC-00001`);
    await empty.close();

    const stored = (await send(`${fleet.url}/api/v1/data/fleet?limit=40`)).body.data.fleet;
    const rows = stored.map((vehicle: object, i: number) => ({
      ...vehicle,
      acquired_on: '2016-05-04',
      last_maintenance_on: '2017-05-04',
      utilization_rate: (i + 1) / 40,
    }));
    await send(`${fleet.url}/api/v1/data/fleet`, { method: 'PUT', body: { fleet: rows } });

    const { page, close } = await fleet.open('/risk?day=2017-05-04');
    // 0.3 · 365/730, and 0.4 · utilization above a half: 0.55 of the last, 0.4 and more from a utilization of 0.8125.
    await page
      .getByRole('heading', {
        level: 1,
        name:
          '40 of 13,587 vehicles can be scored: 0 have a high risk, 8 a medium, 32 a low one. ' +
          'The highest is 0.55, of NYC-00040.',
      })
      .waitFor();
    await page.getByRole('img', { name: 'age 0.15, utilization 0.40, maintenance 0.00' }).waitFor();
    const table = page.getByRole('table', { name: 'The riskiest vehicles, and why' });
    await table.getByRole('row', { name: /NYC-00040/ }).click();
    const whatIf = page.getByRole('region', { name: 'What if: NYC-00040' });
    await whatIf.getByText('Its score is 0.55, a medium risk.').waitFor();
    await whatIf.getByLabel('Since maintenance').fill('42');
    await whatIf
      .getByText('Its score is 0.85, a high risk. As it is stored: 0.55; the change is +0.30.')
      .waitFor();
    await expect.poll(() => inAddress(page, 'maintenance')).toBe('42');
    await expectAccessible(page);
    await whatIf.getByRole('button', { name: 'As it is stored' }).click();
    await whatIf.getByText('Its score is 0.55, a medium risk.').waitFor();
    await close();

    const phone = await fleet.open('/risk?day=2017-05-04&vehicle=NYC-00040&age=0', {
      width: 390,
      height: 844,
      colours: 'dark',
    });
    await phone.page.getByText('the change is −0.15').waitFor();
    await expectToFit(phone.page);
    await expectAccessible(phone.page);
    await phone.close();
  });

  test('scores a fleet of 100,000 vehicles, and finds each of them by its name', async () => {
    await fleet.pool.query(
      `insert into vehicles (vehicle_id, location_id, status, capacity, acquired_on, last_maintenance_on, utilization_rate)
       select 'R-' || i, 4, 'operational', 1, date '2016-05-04', date '2017-05-01', 0.1 + (i % 500) / 1000.0
       from generate_series(1, 100000) i`,
    );
    const { page, close } = await fleet.open('/risk?day=2017-05-04');
    await page
      .getByRole('heading', { level: 1, name: /^100,040 of 113,587 vehicles can be scored: / })
      .waitFor();
    await page.getByText('The table has the 500 riskiest; find the others by their names.').waitFor();
    await page.getByRole('searchbox', { name: 'Find a vehicle or location' }).fill('r-77777');
    await page.getByText('1 of 100,040 vehicles fits.').waitFor();
    await page
      .getByRole('table', { name: 'The riskiest vehicles, and why' })
      .locator('tbody tr')
      .first()
      .click();
    await page.getByRole('region', { name: 'What if: R-77777' }).waitFor();
    await page.goto(`${fleet.url}/console/risk?vehicle=R-0`);
    await page.getByText('R-0 has no score: it is not stored, or its figures are not.').waitFor();
    await fleet.pool.query(`delete from vehicles where vehicle_id like 'R-%'`);
    await close();
  });
});
