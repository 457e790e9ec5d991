import { beforeAll, describe, expect, test } from 'vitest';
import { importSample, isEmpty } from '../../../src/commands/import/sample.ts';
import { generateFleet, SAMPLE_FLEET_SIZE } from '../../../src/commands/import/sample-fleet.ts';
import { createTestDatabase, openTestDatabase } from '../../helpers/services.ts';

describe('the sample', () => {
  let pool: ReturnType<typeof openTestDatabase>['pool'];
  beforeAll(async () => {
    pool = openTestDatabase(await createTestDatabase()).pool;
  });
  const fleet = async () => (await pool.query('select * from vehicles order by vehicle_id')).rows;

  test('fills an empty database with New York: 73 zones, every hour of four months, a fleet', async () => {
    expect(await isEmpty(pool)).toBe(true);
    const result = await importSample(pool);
    expect(result).toEqual({
      locations: { created: 73, updated: 0 },
      fleet: { created: SAMPLE_FLEET_SIZE, updated: 0 },
      demand: { created: 215_423, updated: 0 },
      travel: { created: 5257, updated: 0 },
      trip_flows: { created: 5257, updated: 0 },
    });
    expect(await isEmpty(pool)).toBe(false);
    const { rows } = await pool.query(
      'select time_zone, min(hour) as first, max(hour) as last from locations join demand_observations on id = location_id group by 1',
    );
    expect(rows).toEqual([
      {
        time_zone: 'America/New_York',
        first: new Date('2017-01-01T05:00:00Z'),
        last: new Date('2017-05-04T03:00:00Z'),
      },
    ]);
  });

  test('has the real lengths and minutes of taxi rides, in kilometres', async () => {
    // The file says 79 rides from zone 4 to 12: 11.99 minutes and 3.530 miles on average.
    const { rows } = await pool.query(
      'select * from travel where from_location_id = 4 and to_location_id = 12',
    );
    expect(rows).toEqual([
      { from_location_id: 4, to_location_id: 12, distance_km: 5.681, duration_minutes: 11.99 },
    ]);
  });

  test('has where the taxi trips of 2017 ended', async () => {
    const { rows } = await pool.query(
      'select * from trip_flows where from_location_id = 4 and to_location_id = 12',
    );
    expect(rows).toEqual([{ from_location_id: 4, to_location_id: 12, hour_of_week: null, trips: 79 }]);
  });

  test('is the same every time: loading it again changes nothing', async () => {
    const before = await fleet();
    await pool.query('truncate vehicles');
    await importSample(pool);
    expect(await fleet()).toEqual(before);
    expect(await importSample(pool)).toMatchObject({ fleet: { created: 0, updated: SAMPLE_FLEET_SIZE } });
  });

  test('stands roughly where the demand is, with too many vehicles at some places and too few at others', async () => {
    const { rows } = await pool.query(
      `select d.share * ${SAMPLE_FLEET_SIZE} as wanted, count(v.vehicle_id)::int as standing from
         (select location_id, sum(demand) / sum(sum(demand)) over () as share from demand_observations group by 1) d
         left join vehicles v using (location_id) group by location_id, d.share`,
    );
    const moved = rows.reduce((sum, row) => sum + Math.abs(row.standing - row.wanted), 0) / 2;
    expect(moved / SAMPLE_FLEET_SIZE).toBeGreaterThan(0.1);
    expect(moved / SAMPLE_FLEET_SIZE).toBeLessThan(0.4);
    const vehicles = await fleet();
    const share = (status: string) => vehicles.filter((v) => v.status === status).length / vehicles.length;
    expect(share('operational')).toBeCloseTo(0.92, 1);
    expect(share('maintenance')).toBeGreaterThan(0.02);
    expect(share('downtime')).toBeGreaterThan(0.01);
    expect(vehicles[0].vehicle_id).toBe('NYC-00001');
    expect(vehicles.every((v) => v.capacity === 2)).toBe(true);
  });

  test('without demand there is no fleet', () => {
    expect(generateFleet([])).toEqual([]);
  });

  test('is not loaded again after all of it was deleted', async () => {
    await pool.query('delete from vehicles; delete from demand_observations; delete from locations');
    expect(await isEmpty(pool)).toBe(false);
  });
});
