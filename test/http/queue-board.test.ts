import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { atEnd } from '../helpers/at-end.ts';
import { findChromium, MAX_WAIT_MS, openBrowser, watchPage } from '../helpers/browser.ts';
import { storeKey } from '../helpers/keys.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

const redisUrl = inject('redisUrl');
const chromium = findChromium();
const QUEUE = 'activeQueue=optimization&status=waiting&page=1';

/** The board has a connection to Redis of its own, which may come up after the service. */
const untilItAnswers = (url: string, headers: Record<string, string> = {}) =>
  vi.waitUntil(async () => (await fetch(`${url}/queues`, { headers })).ok, { timeout: MAX_WAIT_MS });

describe.skipIf(redisUrl === '')('the board of the queue', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({ redisUrl, workers: 0, overrides: { QUEUE_BOARD: true } });
    const headers = { prefer: 'respond-async' };
    const stored = await send(`${service.url}/api/v1/optimize`, { body: simpleRequest(), headers });
    expect(stored.status, stored.text).toBe(202);
    await untilItAnswers(service.url!);
  });

  test('shows the token of a job that waits', async () => {
    const { status, body } = await send(`${service.url}/queues/api/queues?${QUEUE}`);
    expect(status).toBe(200);
    expect(body.queues).toMatchObject([
      { name: 'optimization', readOnlyMode: true, counts: { waiting: 1 }, jobs: [{ name: 'job' }] },
    ]);
  });

  test('only shows: whatever would change the queue is refused, and changes nothing', async () => {
    const { body } = await send(`${service.url}/queues/api/queues?${QUEUE}`);
    const [{ id }] = body.queues[0].jobs;
    const path = `${service.url}/queues/api/queues/optimization`;
    for (const [method, url] of [
      ['PUT', `${path}/pause`],
      ['PUT', `${path}/empty`],
      ['PUT', `${path}/clean/waiting`],
      ['PUT', `${path}/obliterate`],
      ['POST', `${path}/add`],
      ['PUT', `${path}/${id}/clean`],
      ['PATCH', `${path}/${id}/update-data`],
      ['PUT', `${service.url}/queues/api/queues/pause`],
    ]) {
      const { status, text } = await send(url, { method, body: {} });
      expect([404, 405], `${method} ${url}: ${text}`).toContain(status);
    }
    const after = await send(`${service.url}/queues/api/queues?${QUEUE}`);
    expect(after.body.queues[0]).toMatchObject({ isPaused: false, counts: { waiting: 1 }, jobs: [{ id }] });
  });

  test.skipIf(!chromium)(
    'works in a browser under its own content policy, without any other host',
    async () => {
      const browser = await openBrowser(chromium as string);
      atEnd(() => browser.close());
      const page = await browser.newPage();
      const { requested, complaints } = watchPage(page);
      await page.goto(`${service.url}/queues/queue/optimization?status=waiting`);
      await page.getByText('optimization').first().waitFor();
      await page.getByText('#1').first().waitFor();
      expect(requested.filter((url) => !url.startsWith(service.url))).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  test('is for operators; a browser may send the key as the password it asks for', async () => {
    const { url, db } = await startTestService({
      ...{ redisUrl, workers: 0 },
      overrides: { QUEUE_BOARD: true, AUTH: 'keys' },
    });
    const [operator, planner] = [await storeKey(db, 'operator'), await storeKey(db, 'planner')];
    const basic = (key: string) => ({
      authorization: `Basic ${Buffer.from(`me:${key}`).toString('base64')}`,
    });
    await untilItAnswers(url!, operator.headers);
    for (const path of ['/queues', '/queues/', '/queues/api/queues', '/queues/static/favicon.ico']) {
      const statusFor = async (headers: Record<string, string>) =>
        (await fetch(`${url}${path}`, { headers })).status;
      expect([path, await statusFor({})]).toEqual([path, 401]);
      expect([path, await statusFor(planner.headers)]).toEqual([path, 403]);
      expect([path, await statusFor(basic(planner.key))]).toEqual([path, 403]);
      expect([path, await statusFor(operator.headers)]).toEqual([path, 200]);
      expect([path, await statusFor(basic(operator.key))]).toEqual([path, 200]);
    }
    const asked = await send(`${url}/queues`);
    expect(asked.headers.get('www-authenticate')).toMatch(/^Basic realm="fleet"/);
    expect(asked.body.errors[0].code).toBe('UNAUTHORIZED');
    // Elsewhere a password is no key, and nobody is asked for one: browsers would send it along unasked.
    for (const path of ['/api/v1/jobs', '/queues-of-others']) {
      const other = await send(`${url}${path}`, { headers: basic(operator.key) });
      expect([401, 404]).toContain(other.status);
      expect(other.headers.get('www-authenticate') ?? '').not.toMatch(/Basic/);
    }
  });
});

test('there is no board unless it is switched on, and with the queue in PostgreSQL it says where to look', async () => {
  const off = await startTestService({ workers: 0 });
  expect((await send(`${off.url}/queues`)).status).toBe(404);
  const on = await startTestService({ workers: 0, overrides: { QUEUE_BOARD: true } });
  for (const path of ['/queues', '/queues/api/queues']) {
    const { status, body } = await send(`${on.url}${path}`);
    expect([status, body.errors[0].code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect(body.errors[0].message).toMatch(/PostgreSQL; \/console\/operations/);
  }
});
