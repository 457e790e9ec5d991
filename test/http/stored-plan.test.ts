import { beforeAll, describe, expect, test } from 'vitest';
import {
  Kpis,
  type OptimizationResult,
  type PlanLocation,
  OptimizationResult as Result,
} from '../../src/contracts/optimize.ts';
import { PlanSummary } from '../../src/contracts/plans.ts';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

/** Fields of a stored plan that no answer has in its data. */
const OWN = ['plan_id', 'job_id', 'created_at', 'certificate', 'vehicle_count', 'solve_time_ms'];

/** Three vehicles at location 1, for locations 2 and 3. */
const vehicles = ['a', 'b', 'c'].map((id) => ({ id, location: 1 }));
const request = (more: { constraints?: object; options?: object } = {}) => ({
  demand_forecast: { 2: [1], 3: [1] },
  fleet_state: { vehicles },
  ...more,
});

/** A request per rule, and two with many at once. `previous_plan_id` is set by the test. */
const REQUESTS: Record<string, { constraints?: object; options?: object }> = {
  'no rule': {},
  explain: { options: { explain: true } },
  'shortage serve_most': {
    constraints: { shortage: 'serve_most', min_service_level: 1, max_vehicles_per_location: { 3: 0 } },
  },
  unmet_demand_cost: { constraints: { unmet_demand_cost: { default: 5, 3: 1 }, min_service_level: 0 } },
  'bounds per location': {
    constraints: {
      min_vehicles_per_location: { 4: 1 },
      max_vehicles_per_location: { default: 2 },
      min_service_level: 0,
    },
  },
  priorities: { constraints: { priorities: { 3: 4, 2: 1 }, total_fleet_size: 3 } },
  refine: { options: { refine: { cost_per_pair: 2, max_pairs: 2 } } },
  'stored travel': { options: { travel: 'stored', cost: { per_minute: 1 } } },
  previous_plan_id: { options: { previous_plan_id: '', change_cost: 1 } },
  horizon: { options: { horizon: {} } },
  trips: {
    options: { trips_per_vehicle_hour: 1, step_hours: 1, demand_aggregation: 'system_peak' },
  },
  'a short fleet with priorities, bounds, stored travel and a previous plan': {
    constraints: {
      shortage: 'serve_most',
      min_service_level: 1,
      priorities: { 3: 9 },
      max_vehicles_per_location: { 2: 0 },
    },
    options: { previous_plan_id: '', travel: 'stored', cost: { per_move: 1, per_minute: 0.1 } },
  },
  'a refined plan with insights': {
    options: { explain: true, refine: { min_vehicles_per_move: 1, max_moves_from: 2 } },
  },
};

describe('a stored plan', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let previousId: string;
  const api = (path: string) => `${service.url}/api/v1/${path}`;
  const stored = async (planId: string) => (await send(api(`plans/${planId}`))).body.data;
  const answerTo = async (path: string, body: object) => {
    const answer = await send(api(path), { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const withPrevious = ({ options, ...more }: { constraints?: object; options?: object }) => ({
    ...more,
    options: {
      ...options,
      ...(options && 'previous_plan_id' in options && { previous_plan_id: previousId }),
    },
  });
  const expectSame = async (planId: string, answer: OptimizationResult) => {
    const plan = await stored(planId);
    const told = { ...answer, gap: answer.gap ?? null };
    expect(
      Object.keys(plan)
        .filter((field) => !OWN.includes(field))
        .toSorted(),
    ).toEqual(Object.keys(told).toSorted());
    for (const [field, value] of Object.entries(told)) expect(plan[field], field).toEqual(value);
  };

  const figuresOf = async (planId: string) =>
    new Map<number, object>(
      (await stored(planId)).locations.map(({ location_id, name: _, ...figures }: PlanLocation) => [
        location_id,
        figures,
      ]),
    );

  beforeAll(async () => {
    service = await startTestService({});
    await service.pool.query(`insert into travel select f, t, abs(f - t) * 12, abs(f - t) * 20
      from generate_series(1, 4) f, generate_series(1, 4) t where f <> t`);
    for (const id of [1, 2, 3]) await storeDemand(service.pool, id, id === 1 ? '0' : '2');
    previousId = (await answerTo('optimize', request())).metadata.plan_id;
  });

  test('says what its answer says, field by field, whatever the request asks for; a list of plans stays short', async () => {
    const fields = new Set<string>();
    const kpis = new Set<string>();
    for (const [, rules] of Object.entries(REQUESTS)) {
      const { data, metadata } = await answerTo('optimize', request(withPrevious(rules)));
      await expectSame(metadata.plan_id, data);
      const { result } = (await send(api(`jobs/${metadata.job_id}`))).body.data;
      expect(result.data).toEqual(data);
      for (const field of Object.keys(data)) fields.add(field);
      for (const kpi of Object.keys(data.kpis)) kpis.add(kpi);
    }
    // A new field of answers needs a request above whose answer has it. A gap is only that of a plan out of time.
    expect([...fields, 'gap'].toSorted()).toEqual(Object.keys(Result.properties).toSorted());
    expect([...kpis].toSorted()).toEqual(Object.keys(Kpis.properties).toSorted());
    const { plans } = (await send(api('plans'))).body.data;
    expect(plans.length).toBeGreaterThanOrEqual(Object.keys(REQUESTS).length);
    for (const plan of plans)
      expect(Object.keys(plan).toSorted()).toEqual(Object.keys(PlanSummary.properties).toSorted());
  });

  test('of a decision says what the plan of the decision says', async () => {
    const fields = new Set<string>();
    for (const [, rules] of Object.entries(REQUESTS)) {
      const { data, metadata } = await answerTo('decisions', {
        fleet_state: { vehicles },
        location_ids: [1, 2, 3],
        start_date: START_DATE,
        horizon_hours: 2,
        ...(rules.options && 'horizon' in rules.options && { mode: 'horizon' }),
        ...withPrevious(rules),
      });
      // What a plan says of all steps is beside the plan of a decision.
      const { outlook, horizon_cost, horizon_bound, rounding_cost, plan } = data;
      const ahead = outlook && { outlook, horizon_cost, horizon_bound, rounding_cost };
      await expectSame(metadata.plan_id, { ...plan, ...ahead });
      for (const field of Object.keys(data.plan)) fields.add(field);
    }
    expect(fields).toContain('shortfall');
  });

  test('compared with another says what changes per location, whatever rules made either', async () => {
    const planIds: string[] = [];
    for (const rules of Object.values(REQUESTS))
      planIds.push((await answerTo('optimize', request(withPrevious(rules)))).metadata.plan_id);
    let changes = 0;
    for (const [i, planId] of planIds.entries()) {
      const otherId = planIds[(i + 1) % planIds.length];
      const { data } = (await send(api(`plans/${planId}/compare/${otherId}`))).body;
      const [own, other] = await Promise.all([planId, otherId].map(figuresOf));
      const ids = [...new Set([...own.keys(), ...other.keys()])].toSorted((a, b) => a - b);
      const differ = ids.filter((id) => JSON.stringify(own.get(id)) !== JSON.stringify(other.get(id)));
      expect(data.locations).toEqual(
        differ.map((id) => ({
          location_id: id,
          name: `Place ${id}`,
          figures: own.get(id) ?? null,
          other_figures: other.get(id) ?? null,
        })),
      );
      changes += differ.length;
    }
    expect(changes).toBeGreaterThan(10);
  });

  test('compared with another says what both serve of each priority level, of the same locations', async () => {
    const planOf = async (constraints: object) => {
      const body = { ...request({ constraints }), demand_forecast: { 2: [3], 3: [2.1], 4: [0.2] } };
      return (await answerTo('optimize', body)).metadata.plan_id as string;
    };
    const shortage = { shortage: 'serve_most', min_service_level: 1 };
    const plain = await planOf(shortage);
    const hospital = await planOf({ ...shortage, priorities: { 3: 9, 4: 1 } });
    const compare = async (one: string, two: string, query = '') =>
      (await send(api(`plans/${one}/compare/${two}${query}`))).body.data;
    const compared = await compare(plain, hospital);
    expect(compared).toMatchObject({
      stages: ['min_cost_flow'],
      other_stages: ['critical_demand', 'min_cost_flow'],
    });
    const { relaxations: _, ...shortfall } = (await stored(hospital)).shortfall;
    expect(compared.other_shortfall).toEqual(shortfall);
    expect(compared.shortfall).toMatchObject({ requested: 1, unserved: 2.3, missing_vehicles: 4 });
    const [own, other] = await Promise.all([plain, hospital].map(figuresOf));
    const pick = (figures: object | undefined) => {
      const { demand, served, unmet } = figures as PlanLocation;
      return { demand, served, unmet: Number(unmet.toFixed(10)) };
    };
    expect(compared.priorities).toEqual([
      { level: 9, figures: pick(own.get(3)), other_figures: pick(other.get(3)) },
      { level: 1, figures: pick(own.get(4)), other_figures: pick(other.get(4)) },
      {
        level: 0,
        figures: expect.objectContaining({ demand: 3 }),
        other_figures: expect.objectContaining({ demand: 3 }),
      },
    ]);
    expect(pick(other.get(3)).served).toBeGreaterThan(pick(own.get(3)).served);
    expect(await compare(plain, plain)).not.toHaveProperty('priorities');
    expect(await compare(plain, previousId)).toMatchObject({ other_shortfall: null });
    const { next_cursor: next } = await compare(plain, hospital, '?limit=1');
    expect(await compare(plain, hospital, `?cursor=${next}`)).not.toHaveProperty('priorities');
  });

  test('of a short fleet shows analysts what was asked for, what is reached, and what is missing', async () => {
    const constraints = { shortage: 'serve_most', min_service_level: 1 };
    const body = { ...request({ constraints }), demand_forecast: { 2: [3], 3: [2] } };
    const { data, metadata } = await answerTo('optimize', body);
    const columns = 'requested_service_level, reached_service_level, unserved_demand, missing_vehicles';
    const shown = async (view: string, planId: string) =>
      (await service.pool.query(`select ${columns} from reports.${view} where plan_id = $1`, [planId])).rows;
    const short = {
      requested_service_level: 1,
      reached_service_level: 0.6,
      unserved_demand: 2,
      missing_vehicles: 2,
    };
    expect(data.shortfall).toMatchObject({ requested: 1, reached: 0.6, unserved: 2, missing_vehicles: 2 });
    expect(await shown('plan_summary', metadata.plan_id)).toEqual([short]);
    const nothing = Object.fromEntries(Object.keys(short).map((column) => [column, null]));
    expect(await shown('plan_summary', previousId)).toEqual([nothing]);
    const decided = await answerTo('decisions', {
      fleet_state: { vehicles },
      location_ids: [1, 2, 3],
      start_date: START_DATE,
      constraints,
    });
    const { shortfall } = decided.data.plan;
    expect(await shown('decision_summary', decided.metadata.plan_id)).toEqual([
      {
        requested_service_level: shortfall.requested,
        reached_service_level: shortfall.reached,
        unserved_demand: shortfall.unserved,
        missing_vehicles: shortfall.missing_vehicles,
      },
    ]);
  });
});
