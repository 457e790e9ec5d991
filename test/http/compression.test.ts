import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

describe('answers', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({});
    await service.pool.query(
      "insert into vehicles (vehicle_id, location_id, status, capacity) select 'V' || i, 1, 'operational', 1 from generate_series(1, 30000) i",
    );
  });

  /** As it comes over the wire. */
  async function get(path: string, encoding?: string, headers = {}) {
    const { hostname, port } = new URL(service.url);
    const accepted = { ...headers, ...(encoding !== undefined && { 'accept-encoding': encoding }) };
    const sent = request({ hostname, port, path, headers: accepted }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  }

  test('are compressed for clients that accept it, streams too, and have the same content for all', async () => {
    const plain = await get('/api/v1/data/fleet');
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding']);
    expect((await get('/nowhere')).headers.vary).toBe('accept-encoding');
    const fleet = (body: Buffer) => JSON.parse(body.toString()).data.fleet;
    for (const [accepted, used, unpack] of [
      ['br', 'br', brotliDecompressSync],
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['gzip;q=1, br;q=0', 'gzip', gunzipSync],
    ] as const) {
      const packed = await get('/api/v1/data/fleet', accepted);
      expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual([used, 'accept-encoding']);
      expect(packed.body.length).toBeLessThan(plain.body.length / 5);
      expect(fleet(unpack(packed.body))).toEqual(fleet(plain.body));
    }
    for (const accepted of ['identity', 'zstd', '']) {
      expect((await get('/api/v1/data/fleet', accepted)).headers['content-encoding']).toBeUndefined();
    }
  });

  test('are not compressed if they are short', async () => {
    expect((await get('/health', 'gzip, br')).headers['content-encoding']).toBeUndefined();
  });

  test('of documents, pages and CSV are compressed, with every header that decides about them in Vary', async () => {
    for (const path of ['/openapi.json', '/redoc/redoc.standalone.js', '/docs/static/swagger-ui-bundle.js']) {
      expect((await get(path, 'br')).headers['content-encoding'], path).toBe('br');
    }
    const solved = await send(`${service.url}/api/v1/optimize`, { body: simpleRequest(200, 100) });
    const csv = await get(`/api/v1/plans/${solved.body.metadata.plan_id}`, 'gzip', { accept: 'text/csv' });
    expect(csv.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/csv; charset=utf-8',
    });
    expect(csv.headers.vary).toBe('accept, accept-encoding');
    expect(gunzipSync(csv.body).toString().trim().split('\r\n')).toHaveLength(201);
  });

  test('are never complete, compressed or not, if a later part cannot be read', async () => {
    const solved = await send(`${service.url}/api/v1/optimize`, { body: simpleRequest(7000, 1) });
    const { plan_id } = solved.body.metadata;
    // The sixth part and those after it are gone: the first page is read, the second is not.
    await service.pool.query('delete from plan_parts where plan_id = $1 and first_ordinal > 5000', [plan_id]);
    for (const [encoding, accept] of [
      ['identity', '*/*'],
      ['gzip', '*/*'],
      ['br', '*/*'],
      ['gzip', 'text/csv'],
    ]) {
      // Broken off; or an error where nothing has been sent, since the first part waits to be packed with the next.
      const answer = await get(`/api/v1/plans/${plan_id}`, encoding, { accept }).catch(
        (error: Error) => error,
      );
      if (answer instanceof Error) {
        expect(answer.message).toBe('aborted');
        continue;
      }
      expect(answer.status).toBe(404);
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
      for (const name of ['content-encoding', 'content-disposition'])
        expect(answer.headers).not.toHaveProperty(name);
      expect(JSON.parse(answer.body.toString()).errors[0].code).toBe('RESOURCE_NOT_FOUND');
    }
  });
});
