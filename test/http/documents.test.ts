import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { ERROR_STATUS } from '../../src/contracts/errors.ts';
import { importSample } from '../../src/import/sample.ts';
import { send, startTestService } from '../helpers/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Document = any;

describe('the documents', () => {
  let base: string;
  let openapi: Document;
  beforeAll(async () => {
    const service = await startTestService({});
    // Places without demand: what is about all stored locations is about the sample's.
    await service.pool.query('delete from locations');
    await importSample(service.pool);
    base = service.url;
    openapi = (await send(`${base}/openapi.json`)).body;
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
        'POST /api/v1/optimize',
        'POST /api/v1/forecast',
        'POST /api/v1/risk/score',
        'GET /api/v1/data/locations',
        'GET /api/v1/data/fleet',
        'GET /api/v1/jobs/{job_id}',
        'DELETE /api/v1/jobs/{job_id}',
        'GET /api/v1/plans/{plan_id}',
        'POST /api/v1/decisions',
        'GET /api/v1/decisions',
        'GET /api/v1/decisions/{decision_id}',
        'POST /api/v1/forecast/backtest',
        'PUT /api/v1/data/locations',
        'PUT /api/v1/data/fleet',
        'POST /api/v1/data/demand',
        'PATCH /api/v1/data/fleet/{vehicle_id}',
      ]),
    );
    for (const { operation, path } of operations()) {
      expect(operation.summary, path).toBeTruthy();
      expect(operation.tags, path).toHaveLength(1);
    }
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
        const examples: Document[] = content.examples
          ? Object.values<Document>(content.examples).map((example) => example.value)
          : [content.example];
        for (const body of examples) {
          expect(body, `${path} ${type}`).toBeDefined();
          const headers = { 'content-type': type };
          const answer = await send(url, { method: method.toUpperCase(), body, headers });
          expect([200, 201], `${path} ${type} ${answer.text}`).toContain(answer.status);
          expectToFit(ajv, path, method, answer.status, answer.body);
          tried.push(`${path} ${type}`);
        }
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

  test('a job that waits and one that has ended are shown as documented, and so is the example', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'openapi', ...openapi });
    const path = '/api/v1/jobs/{job_id}';
    const { example, examples } = openapi.paths[path].get.responses['200'].content['application/json'];
    const shown = example ?? Object.values<Document>(examples)[0].value;
    expect(shown.data.attempt_history).toHaveLength(2);
    expectToFit(ajv, path, 'get', 200, shown);
    const body = openapi.paths['/api/v1/optimize'].post.requestBody.content['application/json'];
    const request = body.example ?? Object.values<Document>(body.examples)[0].value;
    const accepted = await send(`${base}/api/v1/optimize`, {
      body: request,
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
