import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../src/process/logger.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { runSchedules } from '../../workers/duties/schedules.ts';
import {
  addressOf,
  expectAccessible,
  expectToFit,
  hasBrowser,
  inAddress,
  pressGo,
  startConsole,
} from '../helpers/console.ts';
import { send, simpleRequest } from '../helpers/service.ts';

const DIST = path.join(import.meta.dirname, '../../console/dist');
/** Compressed, of everything before the library of the map. */
const MAX_BYTES = 300_000;
const DAY_MS = 86_400_000;

describe.skipIf(!hasBrowser)('the console, in Chromium, with the sample', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole();
  });

  describe('served by the API', () => {
    test('keeps hashed files for ever, its page not at all, and both under a strict content policy', async () => {
      const page = await fetch(`${fleet.url}/console`);
      expect(page.headers.get('cache-control')).toBe('no-cache');
      const script = /src="([^"]+\.js)"/.exec(await page.text())![1];
      const file = await fetch(`${fleet.url}${script}`, { headers: { 'accept-encoding': 'br' } });
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('content-encoding')).toBe('br');
      for (const { headers } of [page, file]) {
        const policy = headers.get('content-security-policy');
        expect(policy).toContain("script-src 'self'");
        expect(policy).not.toContain('unsafe');
      }
    });

    test('answers a page at every path below it, but no file that does not exist', async () => {
      for (const deep of ['', '/', '/jobs', '/map?location=161']) {
        const { status, text } = await send(`${fleet.url}/console${deep}`);
        expect(status).toBe(200);
        expect(text).toContain('<div id="app">');
      }
      expect((await send(`${fleet.url}/console/assets/index-none.js`)).status).toBe(404);
      expect((await send(`${fleet.url}/console/assets/..%2F..%2Findex.html`)).status).toBe(404);
    });

    test(`is below ${MAX_BYTES / 1000} kB compressed, before the library of the map`, () => {
      const isMap = (file: string) => /maplibre|canvas-/.test(path.basename(file));
      const files = globSync('assets/*.br', { cwd: DIST }).map((name) => path.join(DIST, name));
      expect(files.length).toBeGreaterThan(2);
      const bytes = files.filter((file) => !isMap(file)).reduce((sum, file) => sum + statSync(file).size, 0);
      expect(bytes).toBeLessThan(MAX_BYTES);
    });
  });

  describe('Today', () => {
    test('says what to do while nothing is planned, plans, and keeps the plan in the address', async () => {
      const { page, close } = await fleet.open('');
      await page.getByRole('heading', { name: 'Nothing is planned yet.' }).waitFor();
      await expect
        .poll(() => page.locator('pre').textContent())
        .toContain(`curl ${fleet.url}/api/v1/decisions`);
      await page.getByRole('button', { name: 'Plan again' }).click();
      const heading = page.getByRole('heading', { level: 1, name: /trips expected/ });
      const sentence = (await heading.textContent()) ?? '';
      expect(sentence).toContain('Thursday, May 4, 2017: 301,485 trips expected; 95.0% can be served');
      expect(sentence).toMatch(/372 vehicles move, 218 km; .* stay short\.$/);
      await expect
        .poll(() => page.getByRole('status').textContent())
        .toBe('New plan: 95.0% served, 372 vehicles move');
      await expect.poll(() => addressOf(page)).toMatch(/\/console\/\?decision=dec_/);
      await page.reload();
      await expect.poll(() => heading.textContent()).toBe(sentence);
      await close();
    });

    test('plans against the upper end, and offers what would help as buttons that plan again', async () => {
      const mean = await send(`${fleet.url}/api/v1/decisions`, { body: { demand_scale: 1.2 } });
      expect(mean.body.data.plan.shortfall).toBeUndefined();
      const { page, close } = await fleet.open(`/?decision=${mean.body.data.decision_id}`);
      await page.getByLabel('Plan for').selectOption('upper');
      await page.getByRole('button', { name: 'Plan again' }).click();
      const conflict = page.getByRole('region', { name: /^95\.0% was asked for/ });
      await conflict.getByRole('button', { name: /^Set service level to/ }).click();
      await conflict.waitFor({ state: 'detached' });
      const decided = await send(`${fleet.url}/api/v1/decisions/${await inAddress(page, 'decision')}`);
      const { demand, constraints } = decided.body.data.inputs.request;
      expect(demand).toBe('upper');
      expect(constraints.min_service_level).toBeLessThan(0.95);
      expect(decided.body.data.result.data.plan.shortfall).toBeUndefined();
      await close();
    });

    test('plans for the day that is chosen', async () => {
      const { page, close } = await fleet.open('');
      await page.getByLabel('First day').fill('2017-04-20');
      await page.getByRole('button', { name: 'Plan again' }).click();
      await page
        .getByRole('heading', { level: 1, name: /^Thursday, April 20, 2017: .* trips expected/ })
        .waitFor();
      await close();
    });

    test('says why there is no plan at all, and plans the same again with a relaxation', async () => {
      const constraints = { shortage: 'fail', max_distance: 0.5 };
      const refused = await send(`${fleet.url}/api/v1/decisions`, { body: { constraints } });
      expect(refused.status).toBe(422);
      const decisionId: string = refused.body.metadata.job_id;
      const { page, close } = await fleet.open(`/?decision=${decisionId}`);
      const conflict = page.getByRole('region', { name: 'No plan keeps all of this' });
      await conflict.getByRole('button', { name: /^Set service level to 9\d\.\d%$/ }).waitFor();
      await conflict.getByText(/add \d+ vehicles of capacity 2/).waitFor();
      await expectAccessible(page);
      await conflict.getByRole('button', { name: 'Set distance to 0.7 km' }).click();
      await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
      const made = (await inAddress(page, 'decision'))!;
      expect(made).not.toBe(decisionId);
      const decided = (await send(`${fleet.url}/api/v1/decisions/${made}`)).body.data;
      expect(decided.inputs.request.constraints).toEqual({ shortage: 'fail', max_distance: 0.7 });

      // A fault without a relaxation has words alone.
      await page.route(`**/api/v1/decisions/${decisionId}`, async (route) => {
        const stored = await (await route.fetch()).json();
        for (const fault of stored.data.result.errors) delete fault.relaxation;
        await route.fulfill({ json: stored });
      });
      await page.goto(`${fleet.url}/console/?decision=${decisionId}`);
      await conflict.getByText(refused.body.errors[0].message).waitFor();
      await expect.poll(() => conflict.getByRole('button').count()).toBe(0);
      await close();
    });

    test('says the hours of a decision from an hour on, and plans its day again', async () => {
      const body = { start_at: '2017-04-20T12:00:00-04:00', horizon_hours: 3 };
      const { data } = (await send(`${fleet.url}/api/v1/decisions`, { body })).body;
      const { page, close } = await fleet.open(`/?decision=${data.decision_id}`);
      await page
        .getByRole('heading', { level: 1, name: /^Thursday, April 20, 2017: .* hour, 1[234]:00–1[345]:00;/ })
        .waitFor();
      await page.getByRole('button', { name: 'Plan again' }).click();
      await page
        .getByRole('heading', { level: 1, name: /^Thursday, April 20, 2017: .* hour, 0[012]:00–/ })
        .waitFor();
      await close();
    });

    test('names the stored events of its hours, with their locations, and says that it knows no holidays', async () => {
      const hours = { from: '2017-04-20T14:00:00Z', to: '2017-04-20T22:00:00Z' };
      const event = { event_id: 'fair', location_id: 161, kind: 'fair', name: 'Street fair', ...hours };
      await send(`${fleet.url}/api/v1/data/events`, { method: 'PUT', body: { events: [event] } });
      const body = { start_date: '2017-04-20' };
      const { data } = (await send(`${fleet.url}/api/v1/decisions`, { body })).body;
      const { page, close } = await fleet.open(`/?decision=${data.decision_id}`);
      await page.getByText('Street fair, Midtown Center').waitFor();
      await send(`${fleet.url}/api/v1/data/events/fair`, { method: 'DELETE' });
      const without = (await send(`${fleet.url}/api/v1/decisions`, { body })).body.data;
      await page.goto(`${fleet.url}/console/?decision=${without.decision_id}`);
      await page
        .getByText(
          'No stored event falls into these hours. Public holidays were not known when this was planned: FORECASTING_HOLIDAYS named no region.',
        )
        .waitFor();
      await close();
    });

    test('names the zone of its hours, and leaves a decision that looks ahead to the page Ahead', async () => {
      const body = { mode: 'horizon', horizon_hours: 2 };
      const { data } = (await send(`${fleet.url}/api/v1/decisions`, { body })).body;
      const { page, close } = await fleet.open('');
      await page.getByText('Hours are local to the city (America/New_York).').waitFor();
      await page.goto(`${fleet.url}/console/?decision=${data.decision_id}`);
      await page.getByRole('link', { name: 'See it ahead' }).click();
      await page.getByRole('heading', { level: 1, name: /, 2 hours ahead: / }).waitFor();
      await close();
    });

    test('follows a decision that is opened while it is being made, to its answer', async () => {
      const { data } = (await send(`${fleet.url}/api/v1/decisions`, { body: {} })).body;
      const { page, close } = await fleet.open('/jobs');
      let isFirst = true;
      await page.route(`**/api/v1/decisions/${data.decision_id}`, async (route) => {
        const answer = await (await route.fetch()).json();
        const { result: _, ...job } = answer.data;
        const running = { ...job, status: 'running', inputs: null, plan_id: null, finished_at: null };
        await route.fulfill({ json: isFirst ? { ...answer, data: running } : answer });
        isFirst = false;
      });
      await page.goto(`${fleet.url}/console/?decision=${data.decision_id}`);
      await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
      expect(isFirst).toBe(false);
      await close();
    });

    test('leaves a decision that is being made to the jobs, if the reader goes there', async () => {
      const { page, close } = await fleet.open('');
      await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
      const made = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Plan again' }).click();
      const jobId: string = (await (await made).json()).data.job_id;
      await page.getByRole('link', { name: /^Jobs/ }).click();
      await page.getByRole('heading', { level: 1, name: /^Nothing runs; the last job ended / }).waitFor();
      expect((await send(`${fleet.url}/api/v1/jobs/${jobId}`)).body.data.status).toBe('completed');
      await expect.poll(async () => new URL(await addressOf(page)).pathname).toBe('/console/jobs');
      await close();
    });

    test.each([
      ['light', 1440],
      ['dark', 390],
    ] as const)(
      'has nothing serious for axe, %s and %d pixels wide, and does not scroll sideways',
      async (colours, width) => {
        const { page, close } = await fleet.open('', { colours, width });
        await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
        await expectAccessible(page);
        await expectToFit(page);
        await close();
      },
    );
  });

  test('says of an unknown page that there is none, and of a service that is away that it tries again', async () => {
    const { page } = await fleet.open('/nothing');
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
    await page.route('**/api/v1/**', (route) => route.abort());
    await pressGo(page, 't');
    await page.getByRole('heading', { name: 'The service does not answer.' }).waitFor();
    await page.unroute('**/api/v1/**');
    await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
    await page.close();
  });

  test('finds by its id what the service has, on the page that shows it', async () => {
    const decided = (await send(`${fleet.url}/api/v1/decisions`, { body: {} })).body;
    const { decision_id: decisionId } = decided.data;
    const planId: string = decided.metadata.plan_id;
    const demand = { demand_forecast: { 4: [0], 12: [1] }, fleet_state: { vehicles: [] } };
    const refused = await send(`${fleet.url}/api/v1/optimize`, { body: { ...simpleRequest(), ...demand } });
    const optimizedId: string = refused.body.metadata.job_id;
    const replay = {
      from: '2017-05-01',
      to: '2017-05-02',
      location_ids: [4],
      policies: [{ mode: 'none' }],
      trips_per_vehicle_hour: 2,
      unmet_demand_cost: 6,
    };
    const replayed = await send(`${fleet.url}/api/v1/replays`, { body: replay });
    const replayId: string = replayed.body.data.replay_id;
    const { page, close } = await fleet.open('/jobs');
    const find = async (id: string, kind: string) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: /^a location/ }).fill(` ${id} `);
      await page.getByRole('option', { name: `${id} ${kind}` }).waitFor();
      await expect
        .poll(() => page.getByRole('listbox', { name: 'Search' }).getByRole('option').count())
        .toBe(1);
      await page.keyboard.press('Enter');
    };
    await find(optimizedId, 'optimization, done');
    await page.getByRole('region', { name: 'Job: optimization' }).waitFor();
    await find(decisionId, 'decision, done');
    await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
    await expect.poll(() => addressOf(page)).toContain(`/console/?decision=${decisionId}`);
    await find(planId, 'plan');
    await page.getByRole('heading', { level: 1, name: /vehicles move/ }).waitFor();
    await expect.poll(() => inAddress(page, 'plan')).toBe(planId);
    await find(replayId, 'replay, done');
    await page.getByRole('heading', { level: 1, name: /nobody moves serves/ }).waitFor();
    await page.goto(`${fleet.url}/console/jobs?job=${replayId}`);
    await page.getByRole('link', { name: 'See the replay' }).click();
    await page.getByRole('heading', { level: 1, name: /nobody moves serves/ }).waitFor();
    await close();
  });

  test('shows schedules beside the jobs: finds one by its id, pauses it, and deletes it when asked twice', async () => {
    const url = `${fleet.url}/api/v1/schedules`;
    const body = { name: 'Each evening', cron: '0 20 * * *', time_zone: 'America/New_York', decision: {} };
    const { schedule_id: id } = (await send(url, { body })).body.data;
    const { page, close } = await fleet.open('/jobs');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: /^a location/ }).fill(id);
    await page.getByRole('option', { name: `${id} schedule, Each evening` }).click();
    const detail = page.getByRole('region', { name: 'Each evening' });
    await detail.getByText('It has made no decision yet.').waitFor();
    const row = page
      .getByRole('table', { name: 'Schedules' })
      .getByRole('row')
      .filter({ hasText: '0 20 * * *' });
    await row.filter({ hasText: /08:00 PM E[DS]T/ }).waitFor();
    await detail.getByRole('button', { name: 'Pause' }).click();
    await row.filter({ hasText: 'paused' }).waitFor();
    expect((await send(`${url}/${id}`)).body.data.paused).toBe(true);
    await expectAccessible(page);
    await detail.getByRole('button', { name: 'Resume' }).click();
    await row.filter({ hasText: /08:00 PM E[DS]T/ }).waitFor();
    await detail.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Each evening' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('region', { name: 'Schedules' }).waitFor({ state: 'detached' });
    expect((await send(url)).body.data.schedules).toEqual([]);
    await close();

    const { schedule_id: gone } = (await send(url, { body })).body.data;
    const other = await fleet.open(`/jobs?schedule=${gone}`);
    await other.page.getByRole('button', { name: 'Delete' }).click();
    await send(`${url}/${gone}`, { method: 'DELETE' });
    const asking = other.page.getByRole('dialog');
    await asking.getByRole('button', { name: 'Delete' }).click();
    await asking.getByText(gone).waitFor();
    await other.page.close();
  });

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'says why the service paused a schedule, %s and %d pixels wide, and does not scroll sideways',
    async (colours, width) => {
      const { url, config, db, pool } = fleet;
      const body = { name: `Nightly, ${colours}`, cron: '0 20 * * *', time_zone: 'UTC', decision: {} };
      const { schedule_id: id } = (await send(`${url}/api/v1/schedules`, { body })).body.data;
      const owner = `key:${'k'.repeat(80)}`;
      await pool.query('update schedules set owner = $1 where schedule_id = $2', [owner, id]);
      // A worker with authentication, at a time when the schedule is due: its owner has no key.
      const queue = await openQueue(config, () => {});
      const logger = createLogger('worker', config);
      await runSchedules(
        { config: { ...config, AUTH: 'keys' }, db, queue, logger },
        new Date(Date.now() + 2 * DAY_MS),
      );
      await queue.close();
      const { page, close } = await fleet.open(`/jobs?schedule=${id}`, { colours, width });
      const row = page
        .getByRole('table', { name: 'Schedules' })
        .getByRole('row')
        .filter({ hasText: body.name });
      await row.filter({ hasText: 'paused: its owner lost the rights for it' }).waitFor();
      const detail = page.getByRole('region', { name: body.name });
      const reason = detail.getByText(
        `The service paused it: its owner "${owner}" has no valid key with the role planner; give it one, then resume`,
      );
      await reason.waitFor();
      await expectAccessible(page);
      await expectToFit(page);
      await detail.getByRole('button', { name: 'Resume' }).click();
      await reason.waitFor({ state: 'detached' });
      await row.filter({ hasText: '08:00 PM UTC' }).waitFor();
      await close();
      await send(`${url}/api/v1/schedules/${id}`, { method: 'DELETE' });
    },
  );

  test('says of an id that nothing has that there is none', async () => {
    const { page } = await fleet.open('/jobs');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: /^a location/ }).fill(`rpl_${crypto.randomUUID()}`);
    await page.getByText('No job, plan or schedule has this id; old ones are deleted.').waitFor();
    await expect
      .poll(() => page.getByRole('listbox', { name: 'Search' }).getByRole('option').count())
      .toBe(0);
    await page.close();
  });

  test('is moved by keys: the first link skips to the content, ? helps, / searches, Esc closes', async () => {
    const { page, close } = await fleet.open('');
    await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate<string>('document.activeElement.id');
    await expect.poll(focused).toBe('content');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: /^a location/ }).fill('tod');
    await page.getByRole('option', { name: 'Today', exact: false }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await close();
  });
});
