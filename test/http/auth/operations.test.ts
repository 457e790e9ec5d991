import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { importSample } from '../../../src/commands/import/sample.ts';
import { PARAMETER_EXAMPLES } from '../../../src/http/documents/answer-examples.ts';
import { storeKey } from '../../helpers/keys.ts';
import { send, simpleRequest, startTestService } from '../../helpers/service.ts';

/**
 * Every operation of the OpenAPI document, asked by everybody: without a key, by each role, and by the owner of a thing
 * and somebody else. What comes out is the table of docs/operator/security.md.
 */

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Document = any;
type Operation = {
  path: string;
  method: string;
  id: string;
  security: Document;
  body: Document;
  parameters: { name: string }[];
};
type Headers = Record<string, string>;

let base: string;
let operations: Operation[];
let openapi: Document;
const callers: Record<'viewer' | 'planner' | 'other' | 'operator', { key: string; headers: Headers }> =
  {} as never;
/** What one planner made: path parameters by name. */
const made: Record<string, string> = {};
/** What another planner made. */
const others: Record<string, string> = {};

/**
 * Whose the thing is that a path parameter of the document names: that of the planner who made it, or everybody's. A
 * route with a parameter that is not here fails a test: decide, and `own` routes are tried by others below.
 */
const PATH_PARAMETERS: Readonly<Record<string, 'own' | 'common'>> = {
  job_id: 'own',
  plan_id: 'own',
  other_id: 'own',
  decision_id: 'own',
  replay_id: 'own',
  other_replay_id: 'own',
  schedule_id: 'own',
  location_id: 'common',
  vehicle_id: 'common',
  event_id: 'common',
  webhook_id: 'common',
  delivery_id: 'common',
};
/** Lists of what planners make, with the ids of their items. */
const OWN_LISTS = {
  list_jobs: 'job_id',
  list_plans: 'plan_id',
  list_decisions: 'decision_id',
  list_replays: 'replay_id',
  list_schedules: 'schedule_id',
};
/** All other operations that read and name no thing in their path: everybody gets the same. */
const COMMON_READS = [
  ...['get_service', 'get_health', 'get_liveness', 'get_readiness', 'get_config', 'get_operations'],
  ...['list_locations', 'list_fleet', 'list_demand', 'list_events', 'list_travel', 'list_trip_flows'],
  ...['list_audit_entries', 'list_webhooks'],
];

beforeAll(async () => {
  const service = await startTestService({ overrides: { AUTH: 'keys' } });
  await importSample(service.pool);
  base = service.url;
  for (const name of ['viewer', 'planner', 'operator'] as const)
    callers[name] = await storeKey(service.db, name);
  callers.other = await storeKey(service.db, 'planner');
  openapi = (await send(`${base}/openapi.json`)).body;
  operations = Object.entries<Document>(openapi.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(
      ([method, { operationId: id, security, requestBody, parameters = [] }]) => ({
        path,
        method: method.toUpperCase(),
        id,
        security,
        parameters,
        body: Object.values<Document>(requestBody?.content ?? {})[0]?.example,
      }),
    ),
  );
  const { headers } = callers.planner;
  const plan = await send(`${base}/api/v1/optimize`, { body: inNetwork(), headers });
  expect(plan.status).toBe(200);
  made.plan_id = made.other_id = plan.body.metadata.plan_id;
  const otherPlan = await send(`${base}/api/v1/optimize`, {
    body: inNetwork(),
    headers: callers.other.headers,
  });
  others.plan_id = others.other_id = otherPlan.body.metadata.plan_id;
  made.job_id = plan.body.metadata.job_id;
  const decision = await send(`${base}/api/v1/decisions`, { body: {}, headers });
  expect(decision.status).toBe(200);
  made.decision_id = decision.body.data.decision_id;
  for (const [caller, things] of [[callers.planner, made] as const, [callers.other, others] as const]) {
    const replay = await send(`${base}/api/v1/replays`, {
      body: { ...bodyOf('create_replay'), policies: [{ name: 'nothing', mode: 'none' }] },
      headers: caller.headers,
    });
    expect(replay.status, replay.text.slice(0, 500)).toBe(200);
    things.replay_id = things.other_replay_id = replay.body.data.replay_id;
  }
  const schedule = await send(`${base}/api/v1/schedules`, {
    body: { ...bodyOf('create_schedule'), paused: true },
    headers,
  });
  expect(schedule.status, schedule.text.slice(0, 500)).toBe(201);
  made.schedule_id = schedule.body.data.schedule_id;
  const webhook = await send(`${base}/api/v1/webhooks`, {
    body: bodyOf('create_webhook'),
    headers: callers.operator.headers,
  });
  expect(webhook.status, webhook.text.slice(0, 500)).toBe(201);
  made.webhook_id = webhook.body.data.webhook_id;
});

const bodyOf = (id: string) => operations.find((operation) => operation.id === id)?.body;

/** A request with a network of its own: it needs no stored locations. */
function inNetwork() {
  const network = {
    location_ids: [1, 2],
    costs: [
      [0, 1],
      [1, 0],
    ],
  };
  return { ...simpleRequest(), network };
}

/** The path with what the planner made in it, else with the examples of the document; of a list its first row. */
const pathOf = ({ path, method, parameters }: Operation, things = made) => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => things[name] ?? PARAMETER_EXAMPLES[name]);
  return method === 'GET' && parameters.some(({ name }) => name === 'limit') ? `${filled}?limit=1` : filled;
};

/** Asks for an operation without doing anything: a body that no operation accepts, which is looked at last. */
async function statusFor(operation: Operation, headers: Headers): Promise<number> {
  const { method, body } = operation;
  const { status } = await send(`${base}${pathOf(operation)}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: '{"no such field": 1}' }),
  });
  return status;
}

const isPublic = ({ security }: Operation) => security.length === 0;
const roleOf = (operation: Operation): string =>
  isPublic(operation) ? 'public' : operation.security[0].bearer[0];
const pathParametersOf = ({ path }: Operation) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
const ownParametersOf = (operation: Operation) =>
  pathParametersOf(operation).filter((name) => PATH_PARAMETERS[name] === 'own');
const isOwned = (operation: Operation) => ownParametersOf(operation).length > 0;
const changesNothing = ({ method, body }: Operation) => method === 'GET' || body !== undefined;

test('the document says of every operation who may use it, and by which schemes', () => {
  expect(operations.length).toBeGreaterThan(40);
  expect(Object.keys(openapi.components.securitySchemes)).toEqual(['bearer', 'api_key']);
  for (const operation of operations) {
    expect(operation.security, operation.id).toEqual(
      isPublic(operation) ? [] : [{ bearer: [roleOf(operation)] }, { api_key: [roleOf(operation)] }],
    );
  }
});

test('of every path parameter, and of everything that is read without one, it is known whose it is', () => {
  const parameters = new Set(operations.flatMap(pathParametersOf));
  expect([...parameters].sort()).toEqual(Object.keys(PATH_PARAMETERS).sort());
  const reads = operations.filter((each) => each.method === 'GET' && pathParametersOf(each).length === 0);
  expect(reads.map(({ id }) => id).sort()).toEqual([...Object.keys(OWN_LISTS), ...COMMON_READS].sort());
});

test('the table of docs/operator/security.md has exactly these operations and roles', () => {
  const file = path.join(import.meta.dirname, '../../../docs/operator/security.md');
  const rows = [...readFileSync(file, 'utf8').matchAll(/^\| `([A-Z]+) (\S+)` \| (\w+) \| (\w*) ?\|$/gm)];
  const documented = rows.map(([, method, path, role, whose]) => `${method} ${path} ${role} ${whose}`).sort();
  const isList = ({ id }: Operation) => Object.hasOwn(OWN_LISTS, id);
  const actual = operations.map((operation) => {
    const whose = isOwned(operation) || isList(operation) ? 'own' : '';
    return `${operation.method} ${operation.path} ${roleOf(operation)} ${whose}`;
  });
  expect(documented).toEqual(actual.sort());
});

test('nobody without a key, and nobody with a wrong one, gets past 401 anywhere but at public operations', async () => {
  const wrong = { authorization: `${callers.operator.headers.authorization.slice(0, -4)}AAAA` };
  for (const operation of operations) {
    for (const headers of [{}, wrong] as Headers[]) {
      const status = await statusFor(operation, headers);
      if (isPublic(operation)) expect(status, operation.id).toBeLessThan(400);
      else expect(status, operation.id).toBe(401);
    }
  }
});

test('each role may use its operations and those of the roles below it, and gets 403 at all others', async () => {
  const order = ['public', 'viewer', 'planner', 'operator'];
  for (const operation of operations.filter(changesNothing)) {
    for (const caller of ['viewer', 'planner', 'operator'] as const) {
      const status = await statusFor(operation, callers[caller].headers);
      const isAllowed = order.indexOf(caller) >= order.indexOf(roleOf(operation));
      if (isAllowed) expect([200, 400], `${operation.id} by ${caller}: ${status}`).toContain(status);
      else expect(status, `${operation.id} by ${caller}`).toBe(403);
    }
  }
});

test('operations without a body that change things are refused to the roles below', async () => {
  for (const operation of operations.filter((each) => !changesNothing(each))) {
    expect(await statusFor(operation, callers.viewer.headers), operation.id).toBe(403);
    const status = await statusFor(operation, callers.other.headers);
    expect(status, operation.id).toBe(roleOf(operation) === 'operator' ? 403 : 404);
  }
});

const UNKNOWN = '0199c8a0-0000-7000-8000-000000000000';

test("somebody else's job, plan, decision, replay or schedule is 404, with the answer that an unknown one has", async () => {
  const { headers } = callers.other;
  const owned = operations.filter(isOwned);
  expect(owned.length).toBeGreaterThanOrEqual(11);
  for (const operation of owned) {
    const own = ownParametersOf(operation);
    // A body is checked first, so the patch has a good one.
    const body = operation.body && { missed: 'skip' };
    const ask = (things: Record<string, string>) =>
      send(`${base}${pathOf(operation, things)}`, {
        method: operation.method,
        headers,
        ...(body && { body }),
      });
    // Each of them may be the one that is somebody else's, or all of them; the rest is the caller's.
    for (const foreign of [own, ...(own.length > 1 ? own.map((name) => [name]) : [])]) {
      const about = `${operation.id} with a foreign ${foreign}`;
      const mine = own.filter((name) => !foreign.includes(name));
      expect(Object.keys(others), about).toEqual(expect.arrayContaining(mine));
      const own404 = Object.fromEntries(mine.map((name) => [name, others[name]]));
      const refused = await ask({ ...made, ...own404 });
      expect(refused.status, about).toBe(404);
      const unknown = foreign.map((name) => [name, made[name].replace(/_[0-9a-f-]{36}$/, `_${UNKNOWN}`)]);
      const missing = await ask({ ...made, ...own404, ...Object.fromEntries(unknown) });
      const [{ message, ...rest }] = missing.body.errors;
      expect(refused.body.errors, about).toEqual([{ message: expect.any(String), ...rest }]);
      expect(withoutIds(refused.body.errors[0].message), about).toBe(withoutIds(message));
    }
    if (own.length > 1) expect((await ask({ ...made, ...others })).status, operation.id).toBe(200);
  }
});

const withoutIds = (message: string) => message.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');

test('owner and operator see what the planner made, in lists, too; the other planner sees none of it', async () => {
  for (const [operation, id] of Object.entries(OWN_LISTS)) {
    const list = operation.replace('list_', '');
    const idsFor = async ({ headers }: { headers: Headers }): Promise<string[]> =>
      (await send(`${base}/api/v1/${list}`, { headers })).body.data[list].map((item: Document) => item[id]);
    expect(await idsFor(callers.planner), list).toContain(made[id]);
    expect(await idsFor(callers.operator), list).toContain(made[id]);
    const ofOther = await idsFor(callers.other);
    expect(ofOther, list).not.toContain(made[id]);
    if (others[id]) expect(ofOther, list).toContain(others[id]);
  }
  for (const caller of ['planner', 'operator'] as const) {
    for (const operation of operations.filter((each) => isOwned(each) && each.method === 'GET'))
      expect(await statusFor(operation, callers[caller].headers), operation.id).toBe(200);
  }
});

test('an idempotency key is the caller’s own: the same key and body of another caller make another job', async () => {
  const post = (caller: { headers: Headers }, body: unknown) =>
    send(`${base}/api/v1/optimize`, { body, headers: { ...caller.headers, 'idempotency-key': 'the same' } });
  const first = await post(callers.planner, inNetwork());
  const again = await post(callers.planner, inNetwork());
  expect(again.body.metadata.job_id).toBe(first.body.metadata.job_id);
  const other = await post(callers.other, { ...inNetwork(), constraints: { min_service_level: 0.5 } });
  expect(other.status).toBe(200);
  expect(other.body.metadata.job_id).not.toBe(first.body.metadata.job_id);
});

test("somebody else's plan is not stored as far as a previous plan goes, and its own is", async () => {
  const options = { previous_plan_id: made.plan_id, change_cost: 1 };
  const ask = ({ headers }: { headers: Headers }) =>
    send(`${base}/api/v1/optimize`, { body: { ...inNetwork(), options }, headers });
  const foreign = await ask(callers.other);
  expect([foreign.status, foreign.body.errors[0].field]).toEqual([400, 'options.previous_plan_id']);
  expect((await ask(callers.planner)).status).toBe(200);
});

test('only an operator may have a decision carried out, at once or by a schedule', async () => {
  const decision = { carry_out: true };
  const { headers } = callers.planner;
  const once = await send(`${base}/api/v1/decisions`, { body: decision, headers });
  expect([once.status, once.body.errors[0].field]).toEqual([403, 'carry_out']);
  const schedule = { ...bodyOf('create_schedule'), name: 'carries out', paused: true, decision };
  const later = await send(`${base}/api/v1/schedules`, { body: schedule, headers });
  expect([later.status, later.body.errors[0].field]).toEqual([403, 'decision.carry_out']);
  const changed = await send(`${base}/api/v1/schedules/${made.schedule_id}`, {
    method: 'PATCH',
    body: { decision },
    headers,
  });
  expect([changed.status, changed.body.errors[0].field]).toEqual([403, 'decision.carry_out']);
  const byOperator = await send(`${base}/api/v1/schedules`, {
    body: schedule,
    headers: callers.operator.headers,
  });
  expect(byOperator.status).toBe(201);
});

test('pages, documents and probes are public; 401 says how to prove who one is', async () => {
  for (const path of [
    '/',
    '/health',
    '/livez',
    '/readyz',
    '/docs',
    '/redoc',
    '/openapi.json',
    '/asyncapi.json',
    '/guide',
    '/favicon.ico',
  ])
    expect((await send(`${base}${path}`)).status, path).toBe(200);
  const answer = await send(`${base}/api/v1/config`);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="fleet"');
  expect(answer.body.errors[0]).toMatchObject({
    code: 'UNAUTHORIZED',
    message: expect.stringContaining('Bearer'),
  });
  expect((await send(`${base}/api/v1/nothing`)).status).toBe(404);
  const { key } = callers.viewer;
  expect((await send(`${base}/api/v1/config`, { headers: { 'x-api-key': key } })).status).toBe(200);
});
