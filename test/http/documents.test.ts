import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../src/contracts/errors.ts';
import { STORABLE_TEXT } from '../../src/contracts/vehicles.ts';
import { PARAMETER_EXAMPLES } from '../../src/http/documents/answer-examples.ts';
import { send, startTestService } from '../helpers/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Document = any;

describe('the documents', () => {
  let base: string;
  let openapi: Document;
  beforeAll(async () => {
    const service = await startTestService({ sample: true });
    base = service.url;
    openapi = (await send(`${base}/openapi.json`)).body;
    // The schedule that the examples name.
    const { schema, example } =
      openapi.paths['/api/v1/schedules'].post.requestBody.content['application/json'];
    expect(schema.$ref).toMatch(/ScheduleRequest$/);
    await send(`${base}/api/v1/schedules`, { body: { ...example, name: 'stored before' } });
    await service.pool.query('update schedules set schedule_id = $1', [PARAMETER_EXAMPLES.schedule_id]);
    const webhook = { url: 'https://receiver.example/', events: ['worker.lost'] };
    await send(`${base}/api/v1/webhooks`, { body: webhook });
    await service.pool.query('update webhooks set webhook_id = $1', [PARAMETER_EXAMPLES.webhook_id]);
  });

  const operations = () =>
    Object.entries<Document>(openapi.paths).flatMap(([path, methods]) =>
      Object.entries<Document>(methods).map(([method, operation]) => ({ path, method, operation })),
    );

  test('OpenAPI is a valid 3.1 document that names every endpoint of the specification', async () => {
    const result = await new Validator().validate(structuredClone(openapi));
    expect(result.errors).toBeUndefined();
    expect(openapi.openapi).toBe('3.1.0');
    const named = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(named).toEqual(
      expect.arrayContaining([
        'GET /',
        'GET /health',
        'GET /api/v1/config',
        'GET /api/v1/operations',
        'POST /api/v1/optimize',
        'POST /api/v1/forecast',
        'POST /api/v1/risk/score',
        'GET /api/v1/data/locations',
        'GET /api/v1/data/fleet',
        'GET /api/v1/jobs/{job_id}',
        'GET /api/v1/jobs/{job_id}/request',
        'DELETE /api/v1/jobs/{job_id}',
        'GET /api/v1/plans/{plan_id}',
        'POST /api/v1/decisions',
        'GET /api/v1/decisions',
        'GET /api/v1/decisions/{decision_id}',
        'POST /api/v1/schedules',
        'GET /api/v1/schedules',
        'GET /api/v1/schedules/{schedule_id}',
        'PATCH /api/v1/schedules/{schedule_id}',
        'DELETE /api/v1/schedules/{schedule_id}',
        'POST /api/v1/replays',
        'GET /api/v1/replays',
        'GET /api/v1/replays/{replay_id}',
        'POST /api/v1/forecast/backtest',
        'PUT /api/v1/data/locations',
        'PUT /api/v1/data/fleet',
        'POST /api/v1/data/demand',
        'PATCH /api/v1/data/fleet/{vehicle_id}',
      ]),
    );
  });

  describe('every operation', () => {
    test('has a name of its own, a summary and one tag', () => {
      const names = operations().map(({ operation }) => operation.operationId);
      for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(new Set(names).size).toBe(names.length);
      for (const { operation, path } of operations()) {
        expect(operation.summary, path).toBeTruthy();
        expect(operation.tags, path).toHaveLength(1);
      }
    });

    test('names the shape of its body and gives an example of each type of body', () => {
      for (const { operation, path } of operations()) {
        for (const [type, { schema, example }] of Object.entries<Document>(
          operation.requestBody?.content ?? {},
        )) {
          if (type !== 'text/csv')
            expect(schema.$ref, `${path} ${type}`).toMatch(/^#\/components\/schemas\//);
          expect(example, `${path} ${type}`).toBeDefined();
        }
      }
      const { content } = openapi.paths['/api/v1/data/fleet/{vehicle_id}'].patch.requestBody;
      expect(Object.keys(content)).toEqual(['application/merge-patch+json']);
      const bulk = openapi.paths['/api/v1/data/demand'].post.requestBody.content;
      expect(Object.keys(bulk)).toEqual(['application/json', 'text/csv']);
    });

    test('names the shape of each answer, with an example that fits it and its headers', () => {
      const ajv = new Ajv({ strict: false, validateFormats: false });
      ajv.addSchema({ $id: 'openapi', ...openapi });
      for (const { operation, path, method } of operations()) {
        for (const [status, { description, headers, content }] of Object.entries<Document>(
          operation.responses,
        )) {
          const where = `${method} ${path} ${status}`;
          expect(description, where).toBeTruthy();
          expect(headers['X-Request-Id'].schema.type, where).toBe('string');
          for (const [type, { schema, example }] of Object.entries<Document>(content)) {
            expect(example, `${where} ${type}`).toBeDefined();
            if (type === 'text/csv') continue;
            expect(schema.$ref, where).toMatch(/^#\/components\/schemas\//);
            expectToFit(ajv, path, method, Number(status), example);
          }
        }
      }
      const { responses } = openapi.paths['/api/v1/optimize'].post;
      const named = ['X-Request-Id', 'Location', 'Retry-After', 'Preference-Applied'];
      expect(Object.keys(responses['202'].headers)).toEqual(named);
      expect(Object.keys(responses['503'].headers)).toContain('Retry-After');
      const plan = openapi.paths['/api/v1/plans/{plan_id}'].get.responses['200'].content;
      expect(Object.keys(plan)).toEqual(['application/json', 'text/csv']);
    });

    test('documents the errors that it may have, all of one shape', () => {
      for (const { operation, path } of operations()) {
        const errors = Object.entries<Document>(operation.responses).filter(([status]) => status >= '400');
        for (const [status, { content }] of errors) {
          const { schema, example } = content['application/json'];
          expect(schema, `${path} ${status}`).toEqual({ $ref: '#/components/schemas/ErrorEnvelope' });
          for (const { code } of example.errors) expect(ERROR_STATUS[code as ErrorCode]).toBe(Number(status));
        }
        const statuses = errors.map(([status]) => Number(status));
        expect(statuses, path).toEqual(expect.arrayContaining([403, 406, 408, 431, 500]));
        if (operation.requestBody) expect(statuses, path).toEqual(expect.arrayContaining([400, 413, 415]));
      }
    });
  });

  test('what is in the document means the same to every generator of clients', () => {
    expect(openapi.servers).toEqual([{ url: '/', description: expect.any(String) }]);
    const result = openapi.components.schemas.Job.properties.result;
    expect(result).toEqual({ $ref: '#/components/schemas/JobResult' });
    expect(openapi.components.schemas.JobResult.oneOf).toHaveLength(5);
    // Generators make types of operations too: `Name`, `NameRequest` and `NameResponse`, whatever the case of letters.
    const names = Object.keys(openapi.components.schemas).map((name) => name.toLowerCase());
    for (const { operation } of operations()) {
      const name = operation.operationId.replaceAll('_', '');
      expect(names).not.toContain(name);
      for (const part of ['request', 'response']) expect(names).not.toContain(name + part);
    }
    // In Python a class `Health` with a field `health` does not type-check: both become variables of one name.
    for (const [name, { properties = {} }] of Object.entries<Document>(openapi.components.schemas)) {
      const snake = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
      expect(Object.keys(properties), name).not.toContain(snake);
    }
    const walk = (node: Document, visit: (node: Document) => void) => {
      if (typeof node !== 'object' || node === null) return;
      visit(node);
      for (const [key, value] of Object.entries(node)) if (key !== 'example') walk(value, visit);
    };
    const patterns = new Set<string>();
    walk(openapi, (node) => {
      // A field with a default is one that has to be sent, to some.
      if (typeof node.type === 'string') expect(node).not.toHaveProperty('default');
      // Go has no type whose only value is null, and Java no class of one boolean.
      for (const key of ['items', 'additionalProperties']) expect(node[key]?.type).not.toBe('null');
      for (const value of Object.values<Document>(node.properties ?? {})) expect(value.type).not.toBe('null');
      if (node.type === 'boolean') expect(node).not.toHaveProperty('const');
      // Java has no class for a union of texts, and none for a map in a union.
      const variants: Document[] = node.anyOf ?? [];
      const texts = variants.filter(({ type }) => type === 'string');
      expect(texts.length, JSON.stringify(node)).toBeLessThan(2);
      for (const { type, properties } of variants) if (type === 'object') expect(properties).toBeDefined();
      if (typeof node.pattern === 'string') patterns.add(node.pattern);
      if (typeof node.$ref === 'string')
        expect(openapi.components.schemas).toHaveProperty(node.$ref.slice(21));
    });
    const texts = [
      'NYC-00001',
      '',
      'a\u0000b',
      'Zürich 🚕',
      '\ud83d',
      '\udd95\ud83d',
      'a\ud83dz',
      '🚕\udd95',
    ];
    for (const pattern of patterns) {
      for (const text of texts) {
        expect(new RegExp(pattern).test(text), pattern).toBe(new RegExp(pattern, 'u').test(text));
      }
    }
    const storable = texts.filter((text) => new RegExp(STORABLE_TEXT).test(text));
    expect(storable).toEqual(['NYC-00001', '', 'Zürich 🚕']);
  });

  test('every example of a request body works as it stands, and its answer fits the documented schema', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'openapi', ...openapi });
    const tried: string[] = [];
    for (const { path, method, operation } of operations()) {
      const url = (operation.parameters ?? []).reduce(
        (text: string, { name, example }: Document) => text.replace(`{${name}}`, example),
        `${base}${path}`,
      );
      for (const [type, content] of Object.entries<Document>(operation.requestBody?.content ?? {})) {
        const body = content.example;
        expect(body, `${path} ${type}`).toBeDefined();
        const headers = { 'content-type': type };
        const answer = await send(url, { method: method.toUpperCase(), body, headers });
        expect([200, 201], `${path} ${type} ${answer.text}`).toContain(answer.status);
        expectToFit(ajv, path, method, answer.status, answer.body);
        tried.push(`${path} ${type}`);
      }
    }
    expect(tried.length).toBeGreaterThanOrEqual(13);
  });

  test('every GET without parameters answers as documented', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'openapi', ...openapi });
    for (const { path, method } of operations()) {
      if (method !== 'get' || path.includes('{')) continue;
      const answer = await send(`${base}${path}`);
      expect(answer.status, path).toBe(200);
      expectToFit(ajv, path, method, 200, answer.body);
    }
  });

  test('a job that waits and one that has ended are shown as documented', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'openapi', ...openapi });
    const path = '/api/v1/jobs/{job_id}';
    const { example } = openapi.paths['/api/v1/optimize'].post.requestBody.content['application/json'];
    const accepted = await send(`${base}/api/v1/optimize`, {
      body: example,
      headers: { prefer: 'respond-async' },
    });
    for (let ended = false; !ended; ) {
      const job = await send(`${base}${accepted.headers.get('location')}`);
      expectToFit(ajv, path, 'get', 200, job.body);
      ended = job.body.data.status === 'completed';
    }
  });

  test('a decision and the job of a backtest are shown as documented', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'openapi', ...openapi });
    const body = { step_hours: 24, demand_scale: 0.001 };
    const decided = await send(`${base}/api/v1/decisions`, { body });
    const id = decided.body.data.decision_id;
    const decision = await send(`${base}/api/v1/decisions/${id}`);
    expect(decision.body.data.inputs.locations).toHaveLength(73);
    expectToFit(ajv, '/api/v1/decisions/{decision_id}', 'get', 200, decision.body);
    const tested = await send(`${base}/api/v1/forecast/backtest`, {
      body: { location_ids: [48], origins: 1 },
    });
    const job = await send(`${base}/api/v1/jobs/${tested.body.metadata.job_id}`);
    expectToFit(ajv, '/api/v1/jobs/{job_id}', 'get', 200, job.body);
  });

  test('every error answer fits the one error envelope, whose codes are those of the table', async () => {
    const codes = openapi.components.schemas.ErrorItem.properties.code.enum;
    expect([...codes].sort()).toEqual(Object.keys(ERROR_STATUS).sort());
    for (const code of [
      'VALIDATION_ERROR',
      'RESOURCE_NOT_FOUND',
      'INFEASIBLE_PROBLEM',
      'SOLVER_ERROR',
      'MODEL_NOT_LOADED',
      'INTERNAL_ERROR',
    ]) {
      expect(codes).toContain(code);
    }
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'openapi', ...openapi });
    const answer = await send(`${base}/api/v1/optimize`, { body: {} });
    expectToFit(ajv, '/api/v1/optimize', 'post', 400, answer.body);
  });

  test('AsyncAPI is a valid 3.0 document of the five messages', async () => {
    const { body } = await send(`${base}/asyncapi.json`);
    const schema = createRequire(import.meta.url)('@asyncapi/specs').schemas['3.0.0'];
    const ajv = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false });
    const valid = ajv.validate(schema, body);
    expect(valid, JSON.stringify(ajv.errors?.slice(0, 3))).toBe(true);
    expect(Object.keys(body.components.messages)).toEqual([
      'subscribe',
      'unsubscribe',
      'progress',
      'complete',
      'error',
    ]);
    expect(body.channels.optimization.address).toBe('/ws/optimization');
  });

  test('the pages /docs and /redoc and all they load come from the service itself', async () => {
    for (const page of ['/docs', '/redoc']) {
      const html = await send(`${base}${page}`);
      expect(html.status).toBe(200);
      const sources = [...html.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) {
        expect(source, page).not.toMatch(/^(https?:)?\/\//);
        const asset = await send(new URL(source, `${base}${page}/`).href);
        expect(asset.status, source).toBe(200);
      }
    }
  });

  test('the bundle of /redoc is that of the package', () => {
    const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url));
    const ofPackage = 'node_modules/redoc/bundles/redoc.standalone.js';
    const own = 'src/http/documents/assets/redoc.standalone.js.gz';
    const isSame = gunzipSync(read(own)).equals(read(ofPackage));
    expect(isSame, `gzip -9nc ${ofPackage} > ${own}`).toBe(true);
  });

  test('the version is the one of package.json', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(openapi.info.version).toBe(version);
  });

  function expectToFit(ajv: Ajv, path: string, method: string, status: number, body: unknown) {
    const pointer = [
      'paths',
      path,
      method,
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
    ]
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const validate = ajv.compile({ $ref: `openapi#/${pointer}` });
    expect(validate(body), `${method} ${path}: ${JSON.stringify(validate.errors?.slice(0, 3))}`).toBe(true);
  }
});
