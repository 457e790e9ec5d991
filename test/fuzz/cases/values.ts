import { strict as assert } from 'node:assert';
import { assertRefused, type Case, type CaseContext, smallProblem } from './case.ts';

/** A request with one value that must be refused, naming its field. */
export type Refusal = [
  name: string,
  method: string,
  path: string,
  body: unknown,
  field: string | RegExp | undefined,
  type?: string,
];

export const refusal = ([name, method, path, body, field, type = 'application/json']: Refusal): Case => ({
  name,
  async run({ call }) {
    const reply = await call(method, path, {
      body,
      ...(body !== undefined && { headers: { 'content-type': type } }),
    });
    assertRefused(reply, 400, field);
  },
});

const vehicle = (values: object) => ({ fleet: [{ vehicle_id: 'F1', location_id: 161, ...values }] });
const observed = (values: object) => ({
  observations: [{ location_id: 161, hour: '2017-01-01T05:00:00Z', demand: 1, ...values }],
});
const crafted = (key: unknown) => Buffer.from(JSON.stringify(key)).toString('base64url');
const PUT_FLEET = ['PUT', '/api/v1/data/fleet'] as const;
const POST_DEMAND = ['POST', '/api/v1/data/demand'] as const;
const CSV = 'text/csv';

const BOUNDS: Refusal[] = [
  ...[5e-324, 1e308, 0, -1].map(
    (capacity): Refusal => [
      `a capacity of ${capacity}`,
      ...PUT_FLEET,
      vehicle({ capacity }),
      'fleet[0].capacity',
    ],
  ),
  ...[1e308, -1].map(
    (demand): Refusal => [
      `a demand of ${demand}`,
      ...POST_DEMAND,
      observed({ demand }),
      'observations[0].demand',
    ],
  ),
  ['a location id beyond int32', ...PUT_FLEET, vehicle({ location_id: 2 ** 31 }), 'fleet[0].location_id'],
  [
    'a location id beyond int32, in CSV',
    ...PUT_FLEET,
    'vehicle_id,location_id\nF1,2147483648\n',
    /line 2/,
    CSV,
  ],
  [
    'a capacity of 1e308, in CSV',
    ...PUT_FLEET,
    'vehicle_id,location_id,capacity\nF1,161,1e308\n',
    /line 2/,
    CSV,
  ],
  [
    'a capacity of 5e-324, in CSV',
    ...PUT_FLEET,
    'vehicle_id,location_id,capacity\nF1,161,5e-324\n',
    /line 2/,
    CSV,
  ],
  [
    'a demand of 1e308, in CSV',
    ...POST_DEMAND,
    'location_id,hour,demand\n161,2017-01-01T05:00:00Z,1e308\n',
    /line 2/,
    CSV,
  ],
  ...[
    '2017-01-01T05:00:00+16:00',
    '0000-01-01T00:00:00Z',
    '2017-02-30T00:00:00Z',
    '2017-01-01T05:30:00Z',
  ].flatMap((hour): Refusal[] => [
    [`the hour ${hour}`, ...POST_DEMAND, observed({ hour }), 'observations[0].hour'],
    [`the hour ${hour}, in CSV`, ...POST_DEMAND, `location_id,hour,demand\n161,${hour},1\n`, /line 2/, CSV],
  ]),
  [
    'a cursor of 30 February',
    'GET',
    `/api/v1/jobs?cursor=${crafted(['2026-02-30T00:00:00.000Z', 'x'])}`,
    undefined,
    'cursor',
  ],
  [
    'a cursor of the year 0',
    'GET',
    `/api/v1/plans?cursor=${crafted(['0000-01-01T00:00:00.000Z', 'x'])}`,
    undefined,
    'cursor',
  ],
  [
    'created_after with an offset of 16 hours',
    'GET',
    '/api/v1/jobs?created_after=2017-01-01T00:00:00%2B16:00',
    undefined,
    'created_after',
  ],
  [
    'created_before in the year 0',
    'GET',
    '/api/v1/plans?created_before=0000-01-01T00:00:00Z',
    undefined,
    'created_before',
  ],
];

const QUERIES: Refusal[] = [
  ...['1.9', 'true', '0x1', '%205', '', '1e1', '-1', '0'].map(
    (text): Refusal => [`limit=${text}`, 'GET', `/api/v1/jobs?limit=${text}`, undefined, 'limit'],
  ),
  ['an empty max_cost', 'GET', '/api/v1/plans?max_cost=', undefined, 'max_cost'],
  ['an unknown parameter', 'GET', '/api/v1/plans?maxcost=1', undefined, 'maxcost'],
];

const FORECAST = (features: object) => ({
  location_ids: [161],
  features: { include_intervals: true, ...features },
});

const REFUSALS: Refusal[] = [
  ...BOUNDS,
  ...QUERIES,
  ...[0.4999, 0.99901, 0.9999999999999999].flatMap((confidence_level): Refusal[] => [
    [
      `a forecast with confidence_level ${confidence_level}`,
      'POST',
      '/api/v1/forecast',
      FORECAST({ confidence_level }),
      'features.confidence_level',
    ],
    [
      `a decision with confidence_level ${confidence_level}`,
      'POST',
      '/api/v1/decisions',
      { demand: 'upper', confidence_level },
      'confidence_level',
    ],
  ]),
  [
    'a decision with demand_scale 1e-320',
    'POST',
    '/api/v1/decisions',
    { demand_scale: 1e-320 },
    'demand_scale',
  ],
];

/** A problem with one value too large, or too small, for an exact answer. */
const problem = (
  name: string,
  field: string | RegExp,
  change: (body: ReturnType<typeof smallProblem>, context: CaseContext) => void,
): Case => ({
  name,
  async run(context) {
    const body = smallProblem(context);
    change(body, context);
    assertRefused(await context.call('POST', '/api/v1/optimize', { body }), 400, field);
  },
});

export const valueCases: Case[] = [
  ...REFUSALS.map(refusal),
  problem('a demand of 1e-11', /^demand_forecast/, (body, { locationIds: [, b] }) => {
    body.demand_forecast[b] = [1e-11];
  }),
  problem('a demand of 1e308', /^demand_forecast/, (body, { locationIds: [, b] }) => {
    body.demand_forecast[b] = [1e308];
  }),
  problem('a capacity of 1e308 in a request', 'fleet_state.vehicles[0].capacity', (body) => {
    body.fleet_state.vehicles[0].capacity = 1e308;
  }),
  {
    name: 'a request over stored data never names a field that was not sent',
    async run({ call }) {
      const { status, body } = await call('POST', '/api/v1/decisions', { body: { demand_scale: 1e-6 } });
      for (const { field } of body.errors ?? []) {
        assert.ok(field === null || /^demand_scale/.test(field) || status === 422, `names ${field}`);
      }
      return `${status}`;
    },
  },
];
