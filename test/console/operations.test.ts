import { beforeAll, describe, expect, test } from 'vitest';
import { sentenceOf } from '../../console/src/pages/operations/sentence.ts';
import { expectAccessible, expectToFit, hasBrowser, pressGo, startConsole } from '../helpers/console.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, simpleRequest } from '../helpers/service.ts';

test('the sentence counts workers, jobs and the last hour, one and many', () => {
  const worker = { worker_id: '1:a', started_at: '', last_seen_at: '', is_alive: true, slots: 1 };
  const queue = { priority: 'normal', jobs: 0, oldest_seconds: 0 } as const;
  const hour = {
    ...{ starts_at: '2026-11-24T00:00:00Z', completed: 0, failed: 0, cancelled: 0 },
    ...{ median_wait_seconds: null, p95_wait_seconds: null },
  };
  const report = {
    ...{ workers: [worker], queue: [queue], queue_limit: 10, running: 1 },
    ...{ running_jobs: [], last_hour: [hour], failed_jobs: [] },
  };
  expect(sentenceOf(report)).toBe(
    '1 worker is alive and 1 job runs. No job waits. In the last hour 0 jobs ended, of which 0 failed.',
  );
  const busy = {
    ...report,
    workers: [worker, worker, { ...worker, is_alive: false }],
    queue: [{ ...queue, jobs: 3, oldest_seconds: 4 }],
    running: 2,
    last_hour: [hour, { ...hour, completed: 8, failed: 1, cancelled: 1 }],
  };
  expect(sentenceOf(busy)).toBe(
    '2 workers are alive and 2 jobs run. 3 jobs wait, the oldest for 4.0 s. ' +
      'In the last hour 10 jobs ended, of which 1 failed.',
  );
});

describe.skipIf(!hasBrowser)('the operations of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole({ overrides: { AUDIT: 'on' } });
  });

  test('shows a worker and its job, what waits, and what the hour brought, and follows both', async () => {
    const { page, close } = await fleet.open('/');
    await pressGo(page, 'o');
    await page
      .getByRole('heading', { level: 1, name: /^1 worker is alive and 0 jobs run\. No job waits\./ })
      .waitFor();
    await page.getByText('No job ended in the last hour.').waitFor();
    await page.getByText('No stored job has failed.').waitFor();
    await page.getByText('No webhook is stored').waitFor();
    await page.getByText('Nothing is noted.').waitFor();
    const headers = { prefer: 'respond-async' };
    const post = (body: object) => send(`${fleet.url}/api/v1/optimize`, { body, headers });
    const running = (await post(longRequest(100))).body.data.job_id;
    await post({ ...simpleRequest(), demand_forecast: { 4: [0], 12: [1] }, fleet_state: { vehicles: [] } });
    await page
      .getByRole('heading', {
        level: 1,
        name: /^1 worker is alive and 1 job runs\. 1 job waits, the oldest for /,
      })
      .waitFor();
    const link = page.getByRole('table', { name: 'Workers' }).getByRole('link', { name: 'optimization' });
    await expect.poll(() => link.getAttribute('href')).toContain(running);
    await expectAccessible(page);
    await send(`${fleet.url}/api/v1/jobs/${running}`, { method: 'DELETE' });
    await page
      .getByRole('heading', { level: 1, name: /In the last hour 2 jobs ended, of which 0 failed\.$/ })
      .waitFor();
    await page
      .getByRole('table', { name: 'Jobs that ended, in steps of 5 minutes' })
      .waitFor({ state: 'attached' });
    await close();
  });

  test('names events that were given up, sends one again, and says who changed what', async () => {
    const webhooks = `${fleet.url}/api/v1/webhooks`;
    const body = { url: 'https://receiver.example/events', events: ['job.failed'], active: false };
    const { webhook_id: id } = (await send(webhooks, { body })).body.data;
    await fleet.pool.query(
      `insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data, status, ended_at, last_error)
       values ('msg_1', $1, 'job.failed', 'opt_gone', '{}', 'dead', now(), 'no answer within 10 s')`,
      [id],
    );
    const { page, close } = await fleet.open('/operations');
    await page.getByText('1 webhook is stored, 1 switched off.').waitFor();
    const given = page.getByRole('table', { name: 'Events that were given up' });
    await given.getByRole('row').filter({ hasText: 'no answer within 10 s' }).waitFor();
    const changes = page.getByRole('table', { name: 'Who changed what last' });
    await changes.getByRole('row').filter({ hasText: 'create_webhook' }).filter({ hasText: id }).waitFor();
    await expectAccessible(page);
    await given.getByRole('button', { name: /^Send again the event of / }).click();
    await page.getByText('No event was given up.').waitFor();
    await changes.getByRole('row').filter({ hasText: 'resend_webhook_delivery' }).waitFor();
    const { deliveries } = (await send(`${webhooks}/${id}/deliveries`)).body.data;
    expect(deliveries).toMatchObject([{ delivery_id: 'msg_1', status: 'waiting' }]);
    await close();

    // Where they cannot be read, the rest of the page stays.
    const other = await fleet.open('/risk');
    await other.page.route('**/api/v1/audit?*', (route) => route.abort());
    await other.page.goto(`${fleet.url}/console/operations`);
    await other.page.getByRole('alert').getByText('The service does not answer.').waitFor();
    await other.page.getByRole('table', { name: 'Workers' }).waitFor();
    await other.page.close();
  });

  test('keeps what it knows while the service does not answer, says since when, and goes on by itself', async () => {
    const { page } = await fleet.open('/operations');
    const workers = page.getByRole('table', { name: 'Workers' });
    await workers.waitFor();
    await page.route('**/api/v1/operations', (route) => route.abort());
    const notice = page.getByText(/^Not current since \d+:\d+:\d+ .+\.$/);
    await notice.waitFor();
    await page.getByRole('alert').getByText('The service does not answer.').waitFor();
    await expect.poll(() => workers.count()).toBe(1);
    await expectAccessible(page);
    // A refusal is no silence of the service: the page looks on, too.
    await page.unroute('**/api/v1/operations');
    await page.route('**/api/v1/operations', (route) =>
      route.fulfill({ status: 500, json: { errors: [{ code: 'INTERNAL_ERROR', message: 'it broke' }] } }),
    );
    await page.getByRole('alert').getByText('it broke').waitFor();
    await expect.poll(() => workers.count()).toBe(1);
    await page.unroute('**/api/v1/operations');
    await notice.waitFor({ state: 'detached' });
    await expect.poll(() => workers.count()).toBe(1);
    await page.close();
  });

  test('is whole on a phone in the dark, names a silent worker and a job that failed', async () => {
    const { pool } = fleet;
    await pool.query(
      `insert into workers values ('77:01a20ada-2c00-7000-8000-abcdef123456', 1, now() - interval '45 seconds')`,
    );
    await pool.query(`insert into jobs (job_id, kind, status, request_id, input_hash, http_status, result, finished_at)
      values ('opt_x', 'optimize', 'failed', 'r', '', 500, '{"errors":[{"message":"the worker died"}]}', now())`);
    const { page, close } = await fleet.open('/operations', { width: 390, height: 844, colours: 'dark' });
    await page
      .getByRole('row')
      .filter({ hasText: /silent/ })
      .waitFor();
    const failed = page.getByRole('table', { name: 'Jobs that failed last' });
    await failed.getByRole('row').filter({ hasText: 'the worker died' }).waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await close();
  });
});
