import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_WEBHOOKS } from '../../src/contracts/webhooks.ts';
import { type Answer, send, startTestService } from '../helpers/service.ts';

const service = await startTestService({ workers: 0 });
const url = `${service.url}/api/v1/webhooks`;
const WEBHOOK = { url: 'https://receiver.example/events', events: ['job.completed'] };

describe('/api/v1/webhooks', () => {
  beforeEach(async () => {
    await service.pool.query('truncate webhooks, webhook_deliveries');
  });
  const post = (more: object = {}) => send(url, { body: { ...WEBHOOK, ...more } });
  const faultOf = ({ status, body }: Answer) => [status, body.errors[0].field, body.errors[0].message];
  const count = async () => (await service.pool.query('select from webhooks')).rowCount;

  test('shows the secret of a webhook when it is made or changed, and never again', async () => {
    const made = await post({ events: ['job.completed', 'job.completed'], description: 'the desk' });
    expect(made.status).toBe(201);
    const { secret, ...webhook } = made.body.data;
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(webhook).toMatchObject({
      ...WEBHOOK,
      description: 'the desk',
      active: true,
      switched_off_because: null,
    });
    const path = `${url}/${webhook.webhook_id}`;
    expect((await send(path)).body.data).toEqual(webhook);
    expect((await send(url)).body.data).toEqual({ webhooks: [webhook], next_cursor: null });
    const changed = await send(`${path}/secret`, { method: 'POST' });
    expect(changed.body.data.secret).toMatch(/^whsec_/);
    expect(changed.body.data.secret).not.toBe(secret);
    const patched = await send(path, { method: 'PATCH', body: { events: ['worker.lost'], active: false } });
    expect(patched.body.data).toMatchObject({ url: WEBHOOK.url, events: ['worker.lost'], active: false });
    expect(patched.body.data).not.toHaveProperty('secret');
  });

  test('stores a URL in one text, however it is written', async () => {
    const made = await post({ url: 'HTTPS://Receiver.EXAMPLE:443/a/../b' });
    expect(made.body.data.url).toBe('https://receiver.example/b');
    const path = `${url}/${made.body.data.webhook_id}`;
    const patched = await send(path, { method: 'PATCH', body: { url: 'https://receiver.example:0443' } });
    expect(patched.body.data.url).toBe('https://receiver.example/');
    await send(path, { method: 'DELETE' });
  });

  test('names what is wrong with a webhook, and stores nothing', async () => {
    const internal = await post({ url: 'https://169.254.169.254/latest' });
    expect(faultOf(internal)).toEqual([
      400,
      'url',
      '"https://169.254.169.254/latest" 169.254.169.254 is not a public address, and WEBHOOK_ALLOWED_NETWORKS does not allow it',
    ]);
    for (const [field, more] of [
      ['url', { url: 'http://receiver.example/' }],
      ['url', { url: '' }],
      ['url', { url: `https://receiver.example/${'x'.repeat(2000)}` }],
      ['events[0]', { events: ['job.cancelled'] }],
      ['events', { events: [] }],
      ['secret', { secret: 'whsec_AAAA' }],
    ] as const) {
      const answer = await post(more);
      expect(faultOf(answer).slice(0, 2), answer.text).toEqual([400, field]);
    }
    expect(await count()).toBe(0);
    const { webhook_id: id } = (await post()).body.data;
    const patched = await send(`${url}/${id}`, { method: 'PATCH', body: { url: 'https://[::1]/' } });
    expect(faultOf(patched).slice(0, 2)).toEqual([400, 'url']);
    expect((await send(`${url}/${id}`)).body.data.url).toBe(WEBHOOK.url);
  });

  test('stores no more than the limit, however many are sent at once', async () => {
    await Promise.all(Array.from({ length: MAX_WEBHOOKS - 2 }, () => post()));
    const answers = await Promise.all(Array.from({ length: 5 }, () => post()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
    expect(await count()).toBe(MAX_WEBHOOKS);
  });

  test('lists webhooks and deliveries in pages, newest first, each once', async () => {
    const { webhook_id: id } = (await post()).body.data;
    await post();
    await service.pool.query(
      `insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data, created_at, status, ended_at)
       select 'msg_' || gen_random_uuid(), $1, 'job.failed', 'opt_' || gen_random_uuid(), '{}',
         '2026-03-01T00:00Z'::timestamptz + (i / 3) * interval '1 s', case when i = 0 then 'dead' else 'waiting' end,
         case when i = 0 then now() end
       from generate_series(0, 8) i`,
      [id],
    );
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Answer = await send(`${url}/${id}/deliveries?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.body.data.deliveries.map((one: { delivery_id: string }) => one.delivery_id));
      cursor = page.body.data.next_cursor;
    }
    const { rows } = await service.pool.query(
      'select delivery_id from webhook_deliveries order by created_at desc, delivery_id desc',
    );
    expect(seen).toEqual(rows.map((row) => row.delivery_id));
    expect((await send(`${url}/${id}/deliveries?status=dead`)).body.data.deliveries).toHaveLength(1);
    const first = await send(`${url}?limit=1`);
    const second = await send(`${url}?limit=1&cursor=${first.body.data.next_cursor}`);
    expect(second.body.data).toMatchObject({ webhooks: [{ webhook_id: id }], next_cursor: null });
  });

  test('answers 404 for what is not stored', async () => {
    const { webhook_id: id } = (await post()).body.data;
    for (const [method, path, field] of [
      ['GET', 'whk_none', 'webhook_id'],
      ['DELETE', 'whk_none', 'webhook_id'],
      ['POST', 'whk_none/secret', 'webhook_id'],
      ['GET', 'whk_none/deliveries', 'webhook_id'],
      ['POST', 'whk_none/deliveries/msg_none/resend', 'webhook_id'],
      ['POST', `${id}/deliveries/msg_none/resend`, 'delivery_id'],
    ]) {
      const answer = await send(`${url}/${path}`, { method });
      expect(faultOf(answer).slice(0, 2), path).toEqual([404, field]);
    }
    expect((await send(`${url}/${id}`, { method: 'DELETE' })).body.data).toEqual({ webhook_id: id });
    expect((await send(`${url}/${id}`)).status).toBe(404);
  });
});
