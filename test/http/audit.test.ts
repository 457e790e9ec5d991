import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importSample } from '../../src/commands/import/sample.ts';
import { PARAMETER_EXAMPLES } from '../../src/http/documents/answer-examples.ts';
import { storeKey } from '../helpers/keys.ts';
import { type Answer, send, simpleRequest, startTestService } from '../helpers/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Document = any;

/** Operations with a body that only compute. */
const COMPUTING = ['forecast_demand', 'score_risk'];

/** What operations ask for in the query. */
const QUERIES: Record<string, string> = { delete_demand: '?location_id=161' };

describe('the audit log', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let operator: Awaited<ReturnType<typeof storeKey>>;
  beforeAll(async () => {
    service = await startTestService({ workers: 0, overrides: { AUTH: 'keys' } });
    await importSample(service.pool);
    operator = await storeKey(service.db, 'operator');
  });
  beforeEach(async () => {
    await service.pool.query('truncate audit_log');
  });
  const ask = (
    path: string,
    options: { method?: string; body?: unknown; url?: string } = {},
  ): Promise<Answer> =>
    send(`${options.url ?? service.url}${path}`, {
      ...options,
      headers: {
        ...operator.headers,
        prefer: 'respond-async',
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
      },
    });
  const list = async (query = '') => (await ask(`/api/v1/audit${query}`)).body.data;

  test('has one row for every operation that may change something, and none for the others', async () => {
    const { paths } = (await ask('/openapi.json')).body as Document;
    const operations = Object.entries<Document>(paths).flatMap(([path, methods]) =>
      Object.entries<Document>(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    const deletesLast = operations.toSorted(
      (a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'),
    );
    // An API of its own: when it has closed, all is stored.
    const api = await service.startApi();
    const sent: object[] = [];
    for (const { path, method, operation } of deletesLast) {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => PARAMETER_EXAMPLES[name]);
      const body = operation.requestBody?.content;
      const example = (body?.['application/json'] ?? body?.['application/merge-patch+json'])?.example;
      const query = QUERIES[operation.operationId] ?? '';
      const answer = await ask(filled + query, { method: method.toUpperCase(), body: example, url: api.url });
      expect(answer.status, `${method} ${path} ${answer.text.slice(0, 300)}`).not.toBe(400);
      if (method === 'get' || COMPUTING.includes(operation.operationId)) continue;
      sent.push({
        operation: operation.operationId,
        method: method.toUpperCase(),
        path: filled,
        actor: operator.owner,
        key_id: operator.id,
        address: '127.0.0.1',
        request_id: answer.headers.get('x-request-id'),
        http_status: answer.status,
        job_id: answer.status === 202 ? answer.body.data.job_id : null,
      });
    }
    await service.close(api);
    expect(sent.length).toBeGreaterThanOrEqual(24);
    const { entries } = await list('?limit=1000');
    const noted = entries.map(({ audit_id, at, resource_id, ...entry }: Document) => entry).toReversed();
    expect(noted).toEqual(sent.map((one) => expect.objectContaining(one)));
    expect(noted).toHaveLength(sent.length);
    const byOperation = (id: string) => entries.find((one: Document) => one.operation === id);
    expect(byOperation('create_schedule').resource_id).toMatch(/^sch_/);
    expect(byOperation('create_webhook').resource_id).toMatch(/^whk_/);
    expect(byOperation('delete_vehicle').resource_id).toBe(PARAMETER_EXAMPLES.vehicle_id);
  });

  test('has the row before the change: without it nothing is changed', async () => {
    await service.pool.query(`
      create function needs_audit() returns trigger language plpgsql as $$ begin
        if not exists (select from audit_log where request_id = new.request_id and http_status is null) then
          raise exception 'not audited'; end if;
        return new; end $$;
      create trigger needs_audit before insert on jobs for each row execute function needs_audit()`);
    const body = {
      ...simpleRequest(),
      network: {
        location_ids: [1, 2],
        costs: [
          [0, 1],
          [1, 0],
        ],
      },
    };
    expect((await ask('/api/v1/optimize', { body })).status).toBe(202);
    const count = async () => Number((await service.pool.query('select count(*) from jobs')).rows[0].count);
    const before = await count();
    await service.pool.query('alter table audit_log rename to gone');
    const refused = await ask('/api/v1/optimize', { body });
    await service.pool.query('alter table gone rename to audit_log');
    expect(refused.status).toBe(500);
    expect(await count()).toBe(before);
    await service.pool.query('drop trigger needs_audit on jobs');
  });

  test('has the status of an operation whose caller has hung up', async () => {
    const hangUp = new AbortController();
    const { headers } = operator;
    const asked = send(`${service.url}/api/v1/optimize`, {
      body: simpleRequest(),
      headers,
      signal: hangUp.signal,
    });
    await expect
      .poll(() => list())
      .toMatchObject({ entries: [{ operation: 'optimize', http_status: null }] });
    hangUp.abort();
    await expect(asked).rejects.toThrow();
    await expect
      .poll(() => list())
      .toMatchObject({ entries: [{ http_status: 202, job_id: expect.stringMatching(/^opt_/) }] });
  });

  test('is listed by time, actor and operation, in pages, each row once', async () => {
    await service.pool.query(`
      insert into audit_log (audit_id, at, actor, operation)
      select 'aud_' || gen_random_uuid(), '2026-03-01T00:00Z'::timestamptz + (i / 3) * interval '1 minute',
        case when i % 2 = 0 then 'a' else 'b' end, case when i < 4 then 'optimize' else 'put_fleet' end
      from generate_series(0, 9) i`);
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(`?limit=4${cursor && `&cursor=${cursor}`}`);
      ids.push(...page.entries.map((one: { audit_id: string }) => one.audit_id));
      cursor = page.next_cursor;
    }
    expect([ids.length, new Set(ids).size]).toEqual([10, 10]);
    const counted = async (query: string) => (await list(query)).entries.length;
    expect(await counted('?actor=a')).toBe(5);
    expect(await counted('?operation=optimize')).toBe(4);
    expect(await counted('?actor=b&operation=optimize')).toBe(2);
    expect(await counted('?created_after=2026-03-01T00:01:00Z&created_before=2026-03-01T00:02:00Z')).toBe(3);
  });

  test('notes anonymous callers where it is on without authentication, and nothing where it is off', async () => {
    const remove = async (own: object) => {
      const api = await service.startApi({ AUTH: 'off', ...own });
      await send(`${api.url}/api/v1/data/fleet/none`, { method: 'DELETE' });
      await service.close(api);
      return (await list()).entries;
    };
    expect(await remove({})).toEqual([]);
    expect(await remove({ AUDIT: 'on' })).toMatchObject([
      { actor: 'anonymous', key_id: null, operation: 'delete_vehicle', http_status: 404 },
    ]);
  });
});
