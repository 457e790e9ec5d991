import type { WebSocketRoute } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectToFit, hasBrowser, inAddress, startConsole } from '../helpers/console.ts';
import { openReverseProxy } from '../helpers/reverse-proxy.ts';
import { send, simpleRequest } from '../helpers/service.ts';

/** Rules about pairs, which take the solver much longer than the test takes: rules half as hard took it 16 s. */
const LONG = {
  constraints: { min_service_level: 0.985 },
  options: {
    refine: { max_pairs: 14, max_moves_from: 2, min_vehicles_per_move: 7, cost_per_pair: 1.5 },
    optimality_gap: 1e-9,
    time_limit_seconds: 600,
  },
};

describe.skipIf(!hasBrowser)('the jobs of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole({ apis: 2 });
  });

  /** Makes a job through the second of two API processes; the pages are those of the first. */
  async function begin(path: string, body: object): Promise<string> {
    const url = `${fleet.urls[1]}/api/v1/${path}`;
    return (await send(url, { body, headers: { prefer: 'respond-async' } })).body.data.job_id;
  }

  test('says what to do while there are none, and shows a new one without a reload', async () => {
    const { page, close } = await fleet.open('/jobs');
    await page.getByRole('heading', { level: 2, name: 'There are no jobs yet.' }).waitFor();
    await begin('optimize', {
      ...simpleRequest(),
      demand_forecast: { 4: [0], 12: [1] },
      fleet_state: { vehicles: [] },
    });
    await page.getByRole('row').filter({ hasText: 'no plan is possible' }).waitFor();
    await close();
  });

  test('offers each relaxation of a job of another client as a button, which asks for it again and shows it', async () => {
    const id = await begin('optimize', {
      ...simpleRequest(),
      demand_forecast: { 161: [3, 2], 236: [1, 2] },
      fleet_state: { vehicles: ['V1', 'V2', 'V3'].map((name) => ({ id: name, location: 236 })) },
      constraints: { min_service_level: 0.95, max_distance: 10 },
    });
    const { page, close } = await fleet.open(`/jobs?job=${id}`);
    const refused = page.getByRole('region', { name: 'No plan keeps all of this' });
    await refused.getByRole('button', { name: 'Set service level to 60.0%' }).click();
    await page.getByRole('link', { name: 'See the plan on the map' }).waitFor();
    const again = (await inAddress(page, 'job'))!;
    expect(again).not.toBe(id);
    const { request } = (await send(`${fleet.url}/api/v1/jobs/${again}/request`)).body.data;
    expect(request).toMatchObject({
      demand_forecast: { 161: [3, 2], 236: [1, 2] },
      constraints: { min_service_level: 0.6, max_distance: 10 },
    });
    await refused.waitFor({ state: 'detached' });
    await close();
  });

  test('says of a refused job whose request is no longer kept that it cannot be asked for again', async () => {
    const id = await begin('optimize', {
      ...simpleRequest(),
      demand_forecast: { 12: [1] },
      fleet_state: { vehicles: [{ id: 'V1', location: 4 }] },
      constraints: { max_distance: 0.01 },
    });
    const { page } = await fleet.open(`/jobs?job=${id}`);
    const button = page.getByRole('button', { name: /^Set distance to / });
    await button.waitFor();
    await fleet.pool.query('update jobs set input = null where job_id = $1', [id]);
    await button.click();
    await page.getByRole('alert').filter({ hasText: 'is no longer stored' }).waitFor();
    await page.close();
  });

  test('follows a job of the other API process over a WebSocket that is cut and comes back', async () => {
    const { page } = await fleet.open('/');
    const sockets: WebSocketRoute[] = [];
    let isCut = false;
    await page.routeWebSocket('**/ws/optimization', (socket) => {
      if (isCut) return void socket.close();
      socket.connectToServer();
      sockets.push(socket);
    });
    const jobId = await begin('decisions', LONG);
    await page.goto(`${fleet.url}/console/jobs?job=${jobId}`);
    const detail = page.getByRole('region', { name: 'Job: decision' });
    await page.getByRole('row').filter({ hasText: 'applying rules about pairs' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    isCut = true;
    await sockets[0]!.close();
    await page.getByText('not live: the page asks every few seconds').waitFor();
    isCut = false;
    await page.getByText('live', { exact: true }).waitFor();
    expect(sockets.length).toBeGreaterThan(1);
    // The service may be unable to read a job for a moment: it is subscribed to again, not forgotten.
    const known = sockets.length;
    const unread = { type: 'error', job_id: jobId, code: 'SERVICE_UNAVAILABLE', message: 'away' };
    sockets.at(-1)!.send(JSON.stringify(unread));
    await expect.poll(() => sockets.length).toBeGreaterThan(known);
    await page.getByText('live', { exact: true }).waitFor();
    // Best plan and bound, drawn from what came over the WebSocket.
    await detail.getByRole('table', { name: 'Best plan and bound' }).waitFor({ state: 'attached' });
    await expectAccessible(page);
    await detail.getByRole('button', { name: 'Cancel' }).click();
    await detail.getByText('cancelled', { exact: true }).waitFor();
    await page
      .getByRole('heading', {
        level: 1,
        name: /^Nothing runs; the last job ended .* E[DS]T; of the newest \d+ jobs: .*\d cancelled\.$/,
      })
      .waitFor();
    expect((await send(`${fleet.url}/api/v1/jobs/${jobId}`)).body.data.status).toBe('cancelled');
    await page.close();
  });

  test('asks for its jobs where the service refuses its WebSocket, says so, and is live once it is let in', async () => {
    const { url: service } = await fleet.startApi({ WEBSOCKET_MAX_PER_CALLER: 1 });
    const jobId = await begin('decisions', LONG);
    const first = (await fleet.open(`/jobs?job=${jobId}`, { service })).page;
    await first.getByText('live', { exact: true }).waitFor();
    const { page: second } = await fleet.open(`/jobs?job=${jobId}`, { service });
    await second.getByText('not live: the page asks every few seconds').waitFor();
    await expectAccessible(second);
    // Best plan and bound, drawn from what was read.
    const detail = second.getByRole('region', { name: 'Job: decision' });
    await detail.getByRole('table', { name: 'Best plan and bound' }).waitFor({ state: 'attached' });
    // On the decision's own page, nothing but the job that is followed tells of it.
    await second.goto(`${service}/console/?decision=${jobId}`);
    await second.getByText('applying rules about pairs').waitFor();
    await second.getByRole('button', { name: 'Cancel' }).click();
    await second.getByText('This plan was cancelled.').waitFor();
    // So does a job that the page itself began.
    await second.goto(`${service}/console/`);
    await second.getByRole('button', { name: 'Plan again' }).click();
    await second
      .getByRole('status')
      .filter({ hasText: /^New plan/ })
      .waitFor();

    const other = await begin('decisions', LONG);
    await second.goto(`${service}/console/jobs?job=${other}`);
    await second.getByText('not live: the page asks every few seconds').waitFor();
    await first.close();
    await second.getByText('live', { exact: true }).waitFor();
    await detail.getByRole('button', { name: 'Cancel' }).click();
    await detail.getByText('cancelled', { exact: true }).waitFor();
    await second.getByRole('status').filter({ hasText: 'A job has ended: decision' }).waitFor();
    await second.close();
  });

  test.each([
    ['refuses it', 'refuse'],
    ['never answers', 'hold'],
  ] as const)('follows a job through a proxy that knows no WebSocket and %s', async (_, upgrades) => {
    const proxy = await openReverseProxy(fleet.url, [], upgrades);
    const jobId = await begin('decisions', LONG);
    const { page } = await fleet.open(`/?decision=${jobId}`, { service: proxy.url });
    await page.getByText('applying rules about pairs').waitFor();
    await send(`${fleet.url}/api/v1/jobs/${jobId}`, { method: 'DELETE' });
    await page.getByText('This plan was cancelled.').waitFor();
    await page.close();
    await proxy.close();
  });

  test('shows phases and attempts of a job that has ended, and leads to its plan', async () => {
    const jobId = (await send(`${fleet.url}/api/v1/decisions`, { body: {} })).body.data.decision_id;
    const { page, close } = await fleet.open(`/jobs?job=${jobId}`, {
      width: 390,
      height: 844,
      colours: 'dark',
    });
    const detail = page.getByRole('region', { name: 'Job: decision' });
    await detail
      .getByRole('listitem')
      .filter({ hasText: /solving: \d/ })
      .waitFor();
    expect(
      await detail
        .getByRole('listitem')
        .filter({ hasText: /: done$/ })
        .count(),
    ).toBe(1);
    await expectAccessible(page);
    await expectToFit(page);
    await detail.getByRole('link', { name: 'See the decision' }).click();
    await page.getByRole('heading', { level: 1, name: /trips expected/ }).waitFor();
    await close();
  });
});
