import { beforeAll, describe, expect, test } from 'vitest';
import { readAnswer } from '../../src/db/jobs/jobs.ts';
import { wholeText } from '../helpers/jobs.ts';
import { longRequest } from '../helpers/long-request.ts';
import { type Answer, send, simpleRequest, startTestService } from '../helpers/service.ts';

const OPT_ID = /^opt_[0-9a-f-]{36}$/;

describe('POST /api/v1/optimize', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let url: string;
  beforeAll(async () => {
    service = await startTestService({ apis: 2 });
    url = `${service.url}/api/v1/optimize`;
  });
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    send(url, { body, headers });
  const countJobs = async () => Number((await service.pool.query('select count(*) from jobs')).rows[0].count);

  test('answers with the stored text, whether it comes with the end of the job or has to be read', async () => {
    const requests = [3, 40, 500].map((vehicles) => {
      const { fleet_state, ...rest } = simpleRequest(vehicles, 2);
      const named = fleet_state.vehicles.map((vehicle) => ({ ...vehicle, id: `${vehicle.id} "ö€𝄞"` }));
      return { ...rest, fleet_state: { vehicles: named } };
    });
    const answers = [];
    for (const request of [...requests, { ...simpleRequest(1, 5), constraints: { min_service_level: 1 } }]) {
      answers.push(await post(request));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422]);
    for (const { body, text } of answers) {
      const stored = await readAnswer(service.db, body.metadata.job_id);
      expect(await wholeText(stored!.body)).toBe(text);
    }
  });

  test('answers 200 with the plan, its KPIs and the metadata of the specification', async () => {
    const { status, body, headers } = await post(simpleRequest(3, 2), { 'x-request-id': 'caller-1' });
    expect(status).toBe(200);
    expect(headers.get('x-request-id')).toBe('caller-1');
    expect(body).toEqual({
      status: 'success',
      data: {
        allocation_plan: [
          expect.objectContaining({ vehicle_id: 'V1', source_location: 1 }),
          expect.objectContaining({ vehicle_id: 'V2', source_location: 1 }),
          expect.objectContaining({ vehicle_id: 'V3', source_location: 1 }),
        ],
        total_cost: expect.any(Number),
        kpis: {
          demand_coverage: 1,
          utilization: expect.closeTo(2 / 3),
          rebalanced_count: 2,
          total_cost: body.data.total_cost,
          total_distance_km: expect.any(Number),
          unmet_demand: 0,
        },
        solver_status: 'optimal',
        locations: [
          expect.objectContaining({ location_id: 1, vehicles_before: 3, vehicles_after: 1 }),
          expect.objectContaining({ location_id: 2, name: 'Place 2', vehicles_after: 2, served: 2 }),
        ],
      },
      metadata: {
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        version: '0.1.0',
        request_id: 'caller-1',
        solve_time_ms: expect.any(Number),
        job_id: expect.stringMatching(OPT_ID),
        plan_id: expect.stringMatching(/^plan_/),
      },
    });
    const moved = body.data.allocation_plan.filter(
      (i: { assignment: string }) => i.assignment === 'rebalance',
    );
    expect(moved).toHaveLength(2);
    for (const item of moved)
      expect(item).toMatchObject({ target_location: 2, cost: expect.closeTo(11.12, 1) });
    expect(body.data.total_cost).toBeCloseTo(moved[0].cost * 2, 6);
  });

  test('stores job, plan and one item per operational vehicle', async () => {
    const request = simpleRequest(3, 2);
    Object.assign(request.fleet_state.vehicles[0], { status: 'maintenance' });
    const { body } = await post(request);
    const { job_id, plan_id } = body.metadata;
    const job = await service.pool.query('select * from jobs where job_id = $1', [job_id]);
    expect(job.rows[0]).toMatchObject({
      status: 'completed',
      solver_status: 'optimal',
      http_status: 200,
      attempts: 1,
    });
    const items = await service.pool.query(
      'select * from reports.plan_moves where plan_id = $1 order by ordinal',
      [plan_id],
    );
    expect(items.rows.map((row) => row.vehicle_id)).toEqual(['V2', 'V3']);
    expect(
      items.rows.map(({ vehicle_id, source_location, target_location, cost, assignment }) => ({
        vehicle_id,
        source_location,
        target_location,
        cost,
        assignment,
      })),
    ).toEqual(body.data.allocation_plan);
  });

  test('answers 422 naming the constraint in conflict and its smallest relaxation where supply is below demand', async () => {
    const { status, body } = await post(simpleRequest(1, 4));
    expect(status).toBe(422);
    expect(body).toMatchObject({ status: 'error', data: null });
    const fault = body.errors.find((e: { field: string }) => e.field === 'constraints.min_service_level');
    expect(fault).toMatchObject({ code: 'INFEASIBLE_PROBLEM' });
    expect(`${fault.message} ${fault.detail}`).toContain('0.25');
    const relaxed = { ...simpleRequest(1, 4), constraints: { min_service_level: 0.25 } };
    expect((await post(relaxed)).status).toBe(200);
  });

  test('answers 422 with each relaxation as an object, the same as beside a plan that serves most', async () => {
    const refused = await post(simpleRequest(1, 4));
    const served = await post({ ...simpleRequest(1, 4), constraints: { shortage: 'serve_most' } });
    const relaxations = refused.body.errors.map(
      ({ relaxation, message }: { relaxation: object; message: string }) => ({ ...relaxation, message }),
    );
    expect(relaxations).toEqual(served.body.data.shortfall.relaxations);
    expect(relaxations).toMatchObject([
      { constraint: 'supply', value: 1, relaxation: 4, proved: true },
      { constraint: 'min_service_level', value: 0.95, relaxation: 0.25, proved: true },
    ]);
    expect((await post({})).body.errors[0]).not.toHaveProperty('relaxation');
  });

  test('answers 422 with the changes that are sufficient only together, which make a plan', async () => {
    const constraints = { min_service_level: 1, max_distance: 0.1, max_rebalancing_cost: 0 };
    const { status, body } = await post({ ...simpleRequest(), constraints });
    expect(status).toBe(422);
    const { relaxation } = body.errors.find(({ field }: { field: string }) => field === 'constraints');
    expect(relaxation).toMatchObject({ constraint: null, relaxation: null });
    const names = relaxation.together.map(({ constraint }: { constraint: string }) => constraint);
    expect(names.sort()).toEqual(['max_distance', 'max_rebalancing_cost']);
    const changes = relaxation.together.map((change: { constraint: string; relaxation: number }) => [
      change.constraint,
      change.relaxation,
    ]);
    const relaxed = { ...constraints, ...Object.fromEntries(changes) };
    expect((await post({ ...simpleRequest(), constraints: relaxed })).status).toBe(200);
  });

  test('answers 200 with the plan that serves most and what is missing, if a shortage is to be served', async () => {
    const request = { ...simpleRequest(1, 4), constraints: { shortage: 'serve_most' } };
    const { status, body } = await post(request);
    expect(status).toBe(200);
    expect(body.data.kpis).toMatchObject({ demand_coverage: 0.25, rebalanced_count: 1, unmet_demand: 3 });
    expect(body.data.shortfall).toMatchObject({
      requested: 0.95,
      reached: 0.25,
      reached_at_most: 0.25,
      unserved: 3,
      missing_vehicles: 3,
      relaxations: [
        { constraint: 'supply', value: 1, relaxation: 4, proved: true },
        { constraint: 'min_service_level', value: 0.95, relaxation: 0.25, proved: true },
      ],
    });
    const enough = await post({ ...simpleRequest(), constraints: { shortage: 'serve_most' } });
    expect(enough.body.data).not.toHaveProperty('shortfall');
    const wrong = await post({ ...simpleRequest(), constraints: { shortage: 'most' } });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors[0]).toMatchObject({ code: 'VALIDATION_ERROR', field: 'constraints.shortage' });
  });

  test('answers 202 at once with Prefer: respond-async, and the job leads to the very same envelope', async () => {
    const accepted = await post(simpleRequest(), { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    expect(accepted.headers.get('preference-applied')).toBe('respond-async');
    const { job_id } = accepted.body.data;
    expect(accepted.headers.get('location')).toBe(`/api/v1/jobs/${job_id}`);
    // The same key and body wait for the job like the first caller would have.
    const job = await waitForJob(job_id);
    expect(job).toMatchObject({ status: 'completed', progress: 1, solver_status: 'optimal', attempts: 1 });
    expect(job.result).toMatchObject({ status: 'success', metadata: { job_id, plan_id: job.plan_id } });
  });

  test('answers 202 when Prefer: wait=0 runs out, and 200 when wait is long enough', async () => {
    const short = await post(simpleRequest(), { prefer: 'wait=0' });
    expect([short.status, short.headers.get('preference-applied')]).toEqual([202, 'wait=0']);
    const long = await post(simpleRequest(), { prefer: 'respond-async, wait=50' });
    expect([long.status, long.headers.get('preference-applied')]).toEqual([200, 'respond-async, wait=50']);
    await waitForJob(short.body.data.job_id);
  });

  test('makes one job and one answer for the same Idempotency-Key, also for twenty callers through two API processes', async () => {
    const before = await countJobs();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send(`${service.urls[i % 2]}/api/v1/optimize`, {
          body: simpleRequest(),
          headers: { 'idempotency-key': 'twenty' },
        }),
      ),
    );
    expect(new Set(answers.map((a) => a.text)).size).toBe(1);
    expect(answers[0].status).toBe(200);
    expect(await countJobs()).toBe(before + 1);
  });

  test('refuses an Idempotency-Key that comes again with another body, and stores nothing', async () => {
    await post(simpleRequest(3), { 'idempotency-key': 'once' });
    const before = await countJobs();
    const { status, body } = await post(simpleRequest(4), { 'idempotency-key': 'once' });
    expect([status, body.errors[0].code]).toEqual([422, 'IDEMPOTENCY_CONFLICT']);
    expect(await countJobs()).toBe(before);
  });

  test('keeps working on a job whose caller disconnects', async () => {
    const hangUp = new AbortController();
    const body = longRequest(1);
    const headers = { 'idempotency-key': 'gone' };
    const call = send(url, { body, headers, signal: hangUp.signal });
    const find = "select job_id from jobs where idempotency_key = 'gone' and status = 'running'";
    let jobId: string | undefined;
    while (!jobId) jobId = (await service.pool.query(find)).rows[0]?.job_id;
    hangUp.abort();
    await expect(call).rejects.toThrow();
    const job = await waitForJob(jobId);
    expect(job).toMatchObject({ status: 'completed', attempts: 1 });
    // Who comes again gets the very answer.
    expect((await post(body, headers)).body).toEqual(job.result);
  });

  test('takes the fleet as GET /api/v1/data/fleet returns it', async () => {
    const request = simpleRequest();
    const fleet = [{ vehicle_id: 'A', location_id: 1, status: 'operational', capacity: 2 }];
    const { status, body } = await post({ ...request, fleet_state: { vehicles: fleet } });
    expect(status).toBe(200);
    expect(body.data.allocation_plan[0]).toMatchObject({ vehicle_id: 'A', assignment: 'rebalance' });
  });

  test('serves the stored plan as JSON and as CSV', async () => {
    const { body } = await post(simpleRequest());
    const plan = await send(`${service.url}/api/v1/plans/${body.metadata.plan_id}`);
    expect(plan.body.data).toMatchObject({
      plan_id: body.metadata.plan_id,
      kpis: body.data.kpis,
      allocation_plan: body.data.allocation_plan,
    });
    const csv = await send(`${service.url}/api/v1/plans/${body.metadata.plan_id}`, {
      headers: { accept: 'text/csv' },
    });
    const lines = csv.text.trim().split('\r\n');
    expect(lines[0]).toBe('vehicle_id,source_location,target_location,cost,assignment');
    expect(lines).toHaveLength(1 + body.data.allocation_plan.length);
  });

  test('serves the cost of unmet demand with the stored plan, and none where it has no cost', async () => {
    const request = {
      ...simpleRequest(1, 5),
      constraints: { min_service_level: 0, unmet_demand_cost: 0.25 },
    };
    const { status, body } = await post(request);
    expect(status).toBe(200);
    const { kpis } = body.data;
    expect(kpis.unmet_demand).toBeGreaterThan(0);
    expect(kpis.unmet_demand_cost).toBeCloseTo(0.25 * kpis.unmet_demand, 4);
    const plan = await send(`${service.url}/api/v1/plans/${body.metadata.plan_id}`);
    expect(plan.body.data.kpis).toEqual(kpis);
    expect(plan.body.data.certificate.objective).toBeCloseTo(kpis.total_cost + kpis.unmet_demand_cost, 9);
    const free = (await post(simpleRequest())).body.metadata.plan_id;
    expect((await send(`${service.url}/api/v1/plans/${free}`)).body.data.kpis).not.toHaveProperty(
      'unmet_demand_cost',
    );
  });

  test('compares two stored plans: vehicles that go elsewhere, and KPIs', async () => {
    const plan = async (vehicles: number, demand: number) =>
      (await post(simpleRequest(vehicles, demand))).body.metadata.plan_id as string;
    const [one, two] = [await plan(4, 1), await plan(3, 2)];
    const path = `${service.url}/api/v1/plans/${one}/compare/${two}`;
    const { status, body } = await send(path);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      plan_id: one,
      other_plan_id: two,
      kpi_differences: { demand_coverage: 0, rebalanced_count: 1, total_cost: expect.closeTo(11.12, 1) },
      vehicles: { same: 2, different: 1, only_in_plan: 1, only_in_other: 0 },
      differences: [
        { vehicle_id: 'V2', target_location: 1, cost: 0, other_target_location: 2 },
        { vehicle_id: 'V4', target_location: 1, other_source_location: null, other_cost: null },
      ],
      next_cursor: null,
    });
    const first = await send(`${path}?limit=1`);
    const second = await send(`${path}?limit=1&cursor=${first.body.data.next_cursor}`);
    expect([...first.body.data.differences, ...second.body.data.differences]).toEqual(body.data.differences);
    expect((await send(`${service.url}/api/v1/plans/${one}/compare/${one}`)).body.data.differences).toEqual(
      [],
    );
    const missing = await send(`${service.url}/api/v1/plans/${one}/compare/none`);
    expect([missing.status, missing.body.errors[0].field]).toEqual([404, 'other_id']);
  });

  async function waitForJob(jobId: string) {
    for (;;) {
      const { body } = await send(`${service.url}/api/v1/jobs/${jobId}`);
      if (['completed', 'failed', 'cancelled'].includes(body.data.status)) return body.data;
    }
  }
});
