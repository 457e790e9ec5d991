import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_FILE, readDemand } from '../../src/commands/backtest.ts';
import { backtest } from '../../src/core/forecast/backtest.ts';
import { send, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

describe('POST /api/v1/forecast/backtest', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    send(`${service.url}/api/v1/forecast/backtest`, { body, headers });
  const countJobs = async () =>
    Number((await service.pool.query("select count(*) from jobs where kind = 'backtest'")).rows[0].count);

  beforeAll(async () => {
    service = await startTestService({ sample: true });
  });

  test('gives the very figures of the pure function on the same data, and keeps them as a job', async () => {
    const ids = [236, 161, 48];
    const zone = 'America/New_York';
    const demand = await readDemand(DEFAULT_FILE, zone);
    const series = ids.map((id) => demand.find(({ locationId }) => locationId === id)!);
    const options = { horizonsHours: [48], stepHours: 6, origins: 3, confidenceLevels: [0.5, 0.9] };
    const { startDates, horizons } = backtest(series, options)!;
    const { overall, weeks, locations } = horizons[0];
    const onWire = ({ steps, accuracy, coverage }: typeof overall) => {
      const { engine: engineAccuracy, ...others } = accuracy;
      return { steps, service: engineAccuracy, ...others, coverage };
    };
    const { status, body } = await post({
      location_ids: ids,
      horizon_hours: 48,
      step_hours: 6,
      origins: 3,
      confidence_levels: [0.5, 0.9],
    });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      model: expect.any(String),
      horizon_hours: 48,
      step_hours: 6,
      confidence_levels: [0.5, 0.9],
      start_dates: startDates,
      overall: onWire(overall),
      weeks: { calm: onWire(weeks.calm!) },
      locations: Object.fromEntries(locations.map((one) => [String(one.locationId), onWire(one)])),
    });
    expect(startDates).toHaveLength(3);
    expect(body.data.overall.service.wape).toBeLessThan(body.data.overall.last_week.wape);
    const job = await send(`${service.url}/api/v1/jobs/${body.metadata.job_id}`);
    expect(job.body.data).toMatchObject({
      kind: 'backtest',
      status: 'completed',
      progress: 1,
      plan_id: null,
    });
    expect(job.body.data.result).toEqual(body);
    expect(job.body.data.phases.map(({ phase }: { phase: string }) => phase)).toEqual([
      'queued',
      'started',
      'backtest',
      'store',
      'finished',
    ]);
  });

  test('tests all stored locations if none is named', async () => {
    const { status, body } = await post({ origins: 1, horizon_hours: 24 });
    expect(status).toBe(200);
    expect(Object.keys(body.data.locations)).toHaveLength(73);
    expect(body.data).toMatchObject({ step_hours: 24, confidence_levels: [0.8, 0.95] });
    expect(body.data.overall.steps).toBe(73);
  });

  test('answers 202 to callers that do not wait, streams progress that rises, and can be cancelled', async () => {
    const accepted = await post({ origins: 52, horizon_hours: 1344 }, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    const jobId = accepted.body.data.job_id;
    expect(jobId).toMatch(/^bt_/);
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    await socket.waitFor((m) => m.type === 'progress' && m.stage === 'backtest' && m.progress > 0);
    const cancelled = await send(`${service.url}/api/v1/jobs/${jobId}`, { method: 'DELETE' });
    expect(cancelled.body.data.status).toBe('cancelled');
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    expect(result.errors[0].code).toBe('JOB_CANCELLED');
    const told = socket.messages.filter((m) => m.type === 'progress').map((m) => m.progress);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    socket.close();
  });

  test('an Idempotency-Key leads to the same job, and not to one of another operation', async () => {
    const headers = { 'idempotency-key': 'bt-1' };
    const ask = { location_ids: [48], origins: 1 };
    const [one, two] = [await post(ask, headers), await post(ask, headers)];
    expect(one.status).toBe(200);
    expect(two.body).toEqual(one.body);
    const other = await send(`${service.url}/api/v1/optimize`, {
      body: {
        demand_forecast: { '48': [0] },
        fleet_state: { vehicles: [] },
      },
      headers,
    });
    expect(other.status).toBe(422);
    expect(other.body.errors[0].code).toBe('IDEMPOTENCY_CONFLICT');
  });

  test.each([
    [{ location_ids: [48, 999999] }, 404, 'location_ids[1]', /999999 is not stored/],
    [{ location_ids: [48, 48] }, 400, 'location_ids[1]', /name each once/],
    [{ origins: 53 }, 400, 'origins', /53 is above the maximum 52/],
    [{ horizon_hours: 1345 }, 400, 'horizon_hours', /above the maximum 1344/],
    [{ step_hours: 5 }, 400, 'step_hours', /not one of 1, 2, 3/],
    [{ confidence_levels: [0.5, 1] }, 400, 'confidence_levels[1]', /1 is above the maximum 0.999/],
    [{ orgins: 3 }, 400, 'orgins', /did you mean "origins"/],
  ])('refuses %j and stores nothing', async (ask, status, field, message) => {
    const before = await countJobs();
    const answer = await post(ask);
    expect(answer.status).toBe(status);
    expect(answer.body.errors[0]).toMatchObject({ field, message: expect.stringMatching(message) });
    expect(await countJobs()).toBe(before);
  });

  test('a location without observations, or with too short a history, is 503 before anything is stored', async () => {
    await service.pool.query(`insert into locations values (9001, 'empty', 0, 0), (9002, 'young', 0, 0);
      insert into demand_observations select 9002, timestamptz '2017-04-01Z' + h * interval '1 hour', 5 from generate_series(0, 500) h`);
    const before = await countJobs();
    const empty = await post({ location_ids: [48, 9001] });
    expect(empty.status).toBe(503);
    expect(empty.body.errors).toMatchObject([
      {
        code: 'MODEL_NOT_LOADED',
        message: expect.stringMatching(/^location 9001 has no demand observations/),
      },
    ]);
    expect(await countJobs()).toBe(before);
    const young = await post({ location_ids: [9002] });
    expect(young.status).toBe(503);
    expect(young.body.errors[0]).toMatchObject({
      code: 'MODEL_NOT_LOADED',
      message: expect.stringMatching(/history is too short/),
    });
  });
});
