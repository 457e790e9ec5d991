import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { frameOf, isCovered, moved, place } from '../../console/src/map/frame.ts';
import { findChromium, openBrowser } from '../helpers/browser.ts';
import {
  addressOf,
  boxOf,
  connectBrowser,
  expectAccessible,
  expectToFit,
  hasBrowser,
  inAddress,
  pictureOf,
  startConsole,
  textOfDownload,
} from '../helpers/console.ts';
import { send, simpleRequest } from '../helpers/service.ts';
import { serveCity } from './map-city.ts';

describe('the picture of the map, while the map moves', () => {
  const size = { width: 800, height: 600 };
  const drawn = frameOf({ longitude: -73.97, latitude: 40.72 }, 11, size);
  const now = frameOf({ longitude: -73.9, latitude: 40.78 }, 12.3, size);

  test('has its centre in the middle, and lies where it would be drawn anew', () => {
    expect(place({ longitude: -73.97, latitude: 40.72 }, drawn)).toEqual({ x: 400, y: 300 });
    const at = { longitude: -74.01, latitude: 40.7 };
    const before = place(at, drawn);
    const { scale, x, y } = moved(drawn, now);
    const anew = place(at, now);
    expect(before.x * scale + x).toBeCloseTo(anew.x, 5);
    expect(before.y * scale + y).toBeCloseTo(anew.y, 5);
  });

  test('fills the map as far as its margin reaches, and no farther', () => {
    const margin = { x: 160, y: 120 };
    const isEnough = (x: number, y: number, scale: number) => isCovered({ x, y, scale }, margin, size);
    expect(isEnough(160, -120, 1)).toBe(true);
    expect(isEnough(161, 0, 1)).toBe(false);
    expect(isEnough(0, -121, 1)).toBe(false);
    // Smaller by a third around the middle, it leaves the edges open.
    expect(isEnough(size.width / 6, size.height / 6, 2 / 3)).toBe(false);
  });
});

/**
 * Notes which arcs each canvas holds, by where they begin and end: what is laid on another canvas brings its own.
 * `fade` shows the other plan, and then the first one again if it is cut off half-way. It evaluates to the number of
 * arcs on the map in each frame until the change is over.
 */
const COUNT_ARCS = `(() => {
  const held = new WeakMap();
  const arcsOf = (canvas) => held.get(canvas) ?? held.set(canvas, new Set()).get(canvas);
  const shares = [];
  let path = [];
  const notes = {
    beginPath: () => { path = []; },
    moveTo: (_, point) => path.push(point),
    lineTo: (_, point) => path.push(point),
    fill: ({ canvas }) => {
      // An outline of two sides with 17 points each.
      if (path.length !== 34) return;
      const middle = (i) => [0, 1].map((k) => ((path[i][k] + path[33 - i][k]) / 2).toFixed(1));
      arcsOf(canvas).add([...middle(0), ...middle(16)].join());
    },
    clearRect: ({ canvas }) => arcsOf(canvas).clear(),
    drawImage: ({ canvas, globalAlpha }, [other]) => {
      if (canvas.isConnected) shares.push(globalAlpha);
      if (globalAlpha > 0) for (const arc of arcsOf(other)) arcsOf(canvas).add(arc);
    },
  };
  for (const [name, note] of Object.entries(notes)) {
    const own = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...values) {
      note(this, values);
      return own.apply(this, values);
    };
  }
  const { get, set } = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, 'width');
  Object.defineProperty(HTMLCanvasElement.prototype, 'width', {
    get,
    set(width) {
      arcsOf(this).clear();
      set.call(this, width);
    },
  });
  const showOther = () => document.querySelector('.toggle button[aria-pressed=false]').click();
  window.fade = (isCutOff) => new Promise((resolve) => {
    const counts = [];
    shares.length = 0;
    showOther();
    const frame = () => {
      counts.push(arcsOf(document.querySelector('.map > canvas')).size);
      // While pictures are mixed, the last share is below 1.
      if (shares.length > 1 && shares.at(-1) === 1) return resolve(counts);
      if (isCutOff && shares.some((share) => share > 0 && share < 1)) {
        isCutOff = false;
        showOther();
      }
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
})()`;

describe.skipIf(!hasBrowser)('a plan that becomes another one, on the map of a large city', () => {
  const MAX_ARCS = 300;
  let city: Awaited<ReturnType<typeof serveCity>>;
  let browser: Browser;
  beforeAll(async () => {
    [city, browser] = await Promise.all([serveCity(400, 500), connectBrowser()]);
  });
  afterAll(() => city.close());

  async function fade(plans: string, isCutOff: boolean): Promise<number[]> {
    const page = await browser.newPage();
    await page.addInitScript(COUNT_ARCS);
    await page.goto(`${city.url}/console/plans?${plans}`);
    await pictureOf(page);
    const counts = await page.evaluate<number[]>(`fade(${isCutOff})`);
    await page.close();
    return counts;
  }

  test.each([
    ['is shown to its end', false],
    ['is cut off by the way back', true],
  ])(
    'has at most 300 arcs in every frame, all of the first and then of the second, if it %s',
    async (_, isCutOff) => {
      const counts = await fade('a=a&b=b', isCutOff);
      expect([counts[0], counts.at(-1)]).toEqual([MAX_ARCS, MAX_ARCS]);
      expect(Math.max(...counts)).toBe(MAX_ARCS);
    },
  );

  test('keeps the arcs that both plans have', async () => {
    const counts = await fade('a=a&b=c', false);
    expect(Math.max(...counts)).toBe(MAX_ARCS);
    // A tenth of the moves differs.
    expect(Math.min(...counts)).toBeGreaterThan(0.75 * MAX_ARCS);
  });

  test('has a work list of which a print has all moves, however many are shown', async () => {
    const page = await browser.newPage();
    await page.goto(`${city.url}/console/map?plan=a`);
    const rows = page.locator('.work-list tbody tr');
    await rows.first().waitFor();
    await expect.poll(() => rows.count()).toBe(25);
    await page.evaluate(`addEventListener('beforeprint', () => {
      document.title = document.querySelectorAll('.work-list tbody tr').length + ' rows';
    })`);
    const paper = await page.pdf({ landscape: true });
    await expect.poll(() => page.title()).toBe('500 rows');
    await expect.poll(() => rows.count()).toBe(25);
    // Less than 50 rows fit on a sheet.
    expect(paper.toString('latin1').match(/\/Type \/Page\b/g)!.length).toBeGreaterThan(10);
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('button', { name: 'Veh.' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    await page.close();
  });
});

describe.skipIf(!hasBrowser)('the map of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole();
    expect((await send(`${fleet.url}/api/v1/decisions`, { body: {} })).status).toBe(200);
  });

  const rows = (page: Page) => page.getByRole('table', { name: 'Moves of the plan' }).locator('tbody tr');
  const sentence = (page: Page, text: RegExp) =>
    page.getByRole('heading', { level: 1, name: text }).waitFor();
  test('shows the plan as circles, arcs and work list, with nothing serious for axe', async () => {
    const { page, close } = await fleet.open('/map');
    await sentence(page, /^95\.0% served: 372 vehicles move 218 km; 25 locations stay short\.$/);
    await expect.poll(() => rows(page).count()).toBe(12);
    expect((await pictureOf(page)).length).toBeGreaterThan(10_000);
    await expectAccessible(page);
    await close();
  });

  test('is one selection with the work list, which the address holds and Esc clears', async () => {
    const { page, close } = await fleet.open('/map');
    await rows(page).first().waitFor();
    const plain = await pictureOf(page);
    await rows(page).filter({ hasText: 'Gramercy' }).click();
    await expect.poll(() => inAddress(page, 'move')).toBe('107-234');
    await pictureOf(page, plain);
    await page.keyboard.press('Escape');
    await expect.poll(async () => new URL(await addressOf(page)).search).toBe('');

    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: /^a location/ }).fill('union');
    await page.getByRole('option', { name: 'Union Sq' }).waitFor();
    await page.keyboard.press('Enter');
    const place = page.getByRole('region', { name: 'Union Sq' });
    await place.getByText('119 vehicles arrive, 0 leave.').waitFor();
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.reload();
    await place.waitFor();

    // A click beside everything clears; one on a circle selects its location.
    await page.keyboard.press('Escape');
    await place.waitFor({ state: 'detached' });
    await pictureOf(page);
    const box = await boxOf(page.locator('.map'));
    const at = { x: box.x + box.width / 2, y: box.y + 45 };
    while (!new URL(await addressOf(page)).searchParams.has('location')) {
      at.y += 15;
      expect(at.y).toBeLessThan(box.y + box.height);
      await page.mouse.click(at.x, at.y);
    }
    const picked = page.locator('section.location');
    await picked.waitFor();

    // After a move of the map, the same circle is where it is seen.
    const name = await picked.getAttribute('aria-label');
    await page.keyboard.press('Escape');
    await picked.waitFor({ state: 'detached' });
    await page.locator('.map .ground canvas').focus();
    // The picture is drawn anew when the map rests, and not before: 100 pixels stay within its margin.
    const still = await pictureOf(page);
    await page.keyboard.press('ArrowLeft');
    await pictureOf(page, still);
    await page.mouse.click(at.x + 100, at.y);
    await picked.waitFor();
    await expect.poll(() => picked.getAttribute('aria-label')).toBe(name);
    await close();
  });

  test('has a work list that is lit with the map, filtered by words, sorted by its columns, and a CSV', async () => {
    const { page, close } = await fleet.open('/map');
    await rows(page).first().waitFor();
    const plain = await pictureOf(page);
    await rows(page).first().hover();
    const lit = await pictureOf(page, plain);
    await page.getByRole('heading', { level: 1 }).hover();
    expect(await pictureOf(page, lit)).toBe(plain);

    // Somewhere on the map an arc is under the pointer: then its row is lit, and no other.
    const litRow = page.locator('.work-list tr[aria-selected="true"]');
    const { x, y, width, height } = await boxOf(page.locator('.map > canvas'));
    const isLit = async (step: number) => {
      await page.mouse.move(x + width * ((step * 0.37) % 1), y + height * ((step * 0.61) % 1));
      await page.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
      );
      return (await litRow.count()) > 0;
    };
    let step = 1;
    while (step < 400 && !(await isLit(step))) step++;
    await expect.poll(() => litRow.count()).toBe(1);

    const filter = page.getByRole('searchbox', { name: 'Filter by location' });
    await filter.fill('gramercy');
    const found = async () => (await rows(page).allTextContents()).map((text) => text.includes('Gramercy'));
    await expect.poll(found).toSatisfy((are: boolean[]) => are.length < 12 && are.every(Boolean));
    await filter.fill('');

    const vehicles = async () => (await rows(page).locator('td:nth-child(3)').allTextContents()).map(Number);
    await page.getByRole('button', { name: 'Veh.' }).click();
    const isFalling = (counts: number[]) =>
      counts.length === 12 && counts.every((count, i) => i === 0 || count <= counts[i - 1]);
    await expect.poll(vehicles).toSatisfy(isFalling);
    const falling = await vehicles();
    await page.getByRole('button', { name: 'Veh.' }).click();
    await expect.poll(vehicles).toEqual(falling.toReversed());

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const lines = (await textOfDownload(download)).trim().split('\r\n');
    expect(lines.length).toBe(1 + falling.length);
    await close();
  });

  test('has the whole work list, and says so, where the address names a location that is not in the plan', async () => {
    const { page, close } = await fleet.open('/map?location=9999');
    await page.getByText('Location 9999 is not in this plan, so nothing is selected.').waitFor();
    await expect.poll(() => rows(page).count()).toBe(12);
    await close();
  });

  test('re-optimises when a slider rests, moves to the new plan, and shows the same from the address', async () => {
    const { page, close } = await fleet.open('/map');
    await sentence(page, /^95\.0% served/);
    const before = await pictureOf(page);
    await page.getByRole('slider', { name: 'Service level' }).fill('0.98');
    await sentence(page, /^98\.0% served/);
    await pictureOf(page, before);
    await expect.poll(() => inAddress(page, 'service')).toBe('0.98');
    const moves = await rows(page).count();
    await page.reload();
    await sentence(page, /^98\.0% served/);
    await expect.poll(() => rows(page).count()).toBe(moves);
    await page.getByRole('button', { name: 'Reset Service level' }).click();
    await sentence(page, /^95\.0% served/);
    await close();
  });

  test.each([
    ['Longest move', '3', { max_distance: 3 }],
    ['Cost ceiling', '200', { max_rebalancing_cost: 200 }],
    ['Price of a lost trip', '2', { unmet_demand_cost: 2 }],
  ])('plans again with what the slider %s says', async (name, value, constraints) => {
    const { page, close } = await fleet.open('/map');
    await sentence(page, /^95\.0% served/);
    const asked = page.waitForRequest((request) => request.url().endsWith('/api/v1/optimize'));
    await page.getByRole('slider', { name }).fill(value);
    expect((await asked).postDataJSON().constraints).toMatchObject(constraints);
    await page
      .getByRole('status')
      .filter({ hasText: /^New plan/ })
      .waitFor();
    await close();
  });

  test('cancels the plan that was asked for before', async () => {
    const { page, close } = await fleet.open('/map');
    await sentence(page, /^95\.0% served/);
    const slider = page.getByRole('slider', { name: 'Service level' });
    let isFirst = true;
    await page.route('**/api/v1/optimize', async (route) => {
      const response = await route.fetch();
      // The answer to the first comes when the slider has moved on.
      if (isFirst) await slider.fill('0.97');
      isFirst = false;
      await route.fulfill({ response });
    });
    const cancelled = page.waitForRequest((request) => request.method() === 'DELETE');
    await slider.fill('0.99');
    expect((await cancelled).url()).toMatch(/\/api\/v1\/jobs\/opt_/);
    await sentence(page, /^97\.0% served/);
    await close();
  });

  test('cancels a plan by its button, and goes back to what the shown plan keeps, without a new job', async () => {
    const { page, close } = await fleet.open('/map');
    await sentence(page, /^95\.0% served/);
    const slider = page.getByRole('slider', { name: 'Service level' });
    await slider.fill('0.97');
    await sentence(page, /^97\.0% served/);
    const held = Promise.withResolvers<void>();
    let asked = 0;
    await page.route('**/api/v1/optimize', async (route) => {
      asked++;
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    });
    const posted = page.waitForRequest('**/api/v1/optimize');
    await slider.fill('0.99');
    await posted;
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => inAddress(page, 'service')).toBe('0.97');
    await page.getByRole('status').filter({ hasText: 'Planning was cancelled' }).waitFor();
    const cancelled = page.waitForRequest((request) => request.method() === 'DELETE');
    held.resolve();
    expect((await cancelled).url()).toMatch(/\/api\/v1\/jobs\/opt_/);
    await sentence(page, /^97\.0% served/);
    expect(asked).toBe(1);
    await close();
  });

  test('says on request what one vehicle more is worth at a location, and can be cancelled until then', async () => {
    const { page, close } = await fleet.open('/map?location=142');
    const place = page.getByRole('region', { name: 'Lincoln Square East' });
    const ask = place.getByRole('button', { name: 'What is one vehicle more worth here?' });
    const held = Promise.withResolvers<void>();
    await page.route('**/api/v1/optimize', async (route) => {
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    });
    await ask.click();
    await place.getByRole('button', { name: 'Cancel' }).click();
    await ask.waitFor();
    const cancelled = page.waitForRequest((request) => request.method() === 'DELETE');
    held.resolve();
    await cancelled;
    await ask.click();
    await place.getByText(/^One vehicle more here saves \d+\.\d of cost/).waitFor();
    await close();
  });

  test('says what is in conflict, and offers each relaxation as a button', async () => {
    const { page, close } = await fleet.open('/map?distance=0.5');
    const conflict = page.getByRole('region', { name: /^95\.0% was asked for/ });
    await conflict.getByRole('button', { name: /^Set service level to/ }).waitFor();
    await expectAccessible(page);
    // The side beside the map scrolls, the page does not.
    await expect.poll(() => page.evaluate('document.documentElement.scrollHeight')).toBe(900);
    await conflict.getByRole('button', { name: /^Set distance to .* km$/ }).click();
    await sentence(page, /^95\.0% served/);
    await conflict.waitFor({ state: 'detached' });
    await expect.poll(async () => Number(await inAddress(page, 'distance'))).toBeGreaterThan(0.5);
    await close();
  });

  test('offers relaxations that have no slider, and holds them in the address until they are reset', async () => {
    const body = { constraints: { min_vehicles_per_location: 5 } };
    const { decision_id: id } = (await send(`${fleet.url}/api/v1/decisions`, { body })).body.data;
    const { page, close } = await fleet.open(`/map?decision=${id}&distance=0.7`);
    const conflict = page.getByRole('region', { name: 'No plan keeps all of this' });
    await conflict.getByRole('button', { name: /^Set distance to / }).waitFor();
    await conflict.getByRole('button', { name: 'Set fewest vehicles per location to 0' }).click();
    const also = page.getByText('Also set: fewest vehicles per location to 0');
    await also.waitFor();
    await conflict.waitFor({ state: 'detached' });
    const shown = await page.getByRole('heading', { level: 1 }).textContent();
    await page.reload();
    await sentence(page, new RegExp(`^${shown!.replaceAll('.', '\\.')}$`));
    await page.getByRole('button', { name: 'Reset what is also set' }).click();
    await conflict.waitFor();
    await expect.poll(() => also.count()).toBe(0);
    await close();
  });

  test('fits a phone, with its sentence above the map and the vehicles of a move in sight', async () => {
    const { page, close } = await fleet.open('/map', { width: 390, height: 844, colours: 'dark' });
    await rows(page).first().waitFor();
    await page.locator('.map > canvas').waitFor();
    const box = (selector: string) => boxOf(page.locator(selector).first());
    expect((await box('h1')).y).toBeLessThan((await box('.map')).y);
    const cost = await box('.work-list tbody td:last-child');
    expect(cost.x + cost.width).toBeLessThanOrEqual(390);
    await expectToFit(page);
    await expectAccessible(page);
    await close();
  });

  test.each([
    ['tiles', '/{z}/{x}/{y}.png'],
    ['style', '/style.json'],
  ])('lies on the %s that the setting names, under the content policy', async (_, path) => {
    const asked = Promise.withResolvers<string>();
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const ground = createServer((request, response) => {
      response.setHeader('access-control-allow-origin', '*');
      if (request.url === '/style.json') {
        const tiles = [`http://${request.headers.host}/{z}/{x}/{y}.png`];
        const style = {
          version: 8,
          sources: { tiles: { type: 'raster', tiles, tileSize: 256 } },
          layers: [{ id: 'tiles', type: 'raster', source: 'tiles' }],
        };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(style));
        return;
      }
      asked.resolve(request.url!);
      response.setHeader('content-type', 'image/png').end(Buffer.from(pixel, 'base64'));
    }).listen(0, '127.0.0.1');
    await once(ground, 'listening');
    const { port } = ground.address() as AddressInfo;
    const api = await fleet.startApi({ CONSOLE_MAP_URL: `http://127.0.0.1:${port}${path}` });
    const { page, complaints } = await fleet.open('/map', { service: api.url });
    expect(await asked.promise).toMatch(/^\/\d+\/\d+\/\d+\.png$/);
    await rows(page).first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
    ground.close();
  });

  // The newest decisions: pages that name none show them from here on.
  test.each([
    ['looks ahead', { mode: 'horizon', horizon_hours: 3 }],
    ['has one step', { horizon_hours: 1 }],
  ])(
    'plans the same beside vehicles on the way, where a slider has the value of a decision that %s',
    async (_, body) => {
      await fleet.pool.query(
        `update vehicles set available_at = now() + interval '1 day'
       where vehicle_id in (select vehicle_id from vehicles where status = 'operational' order by vehicle_id limit 300)`,
      );
      const asked = { ...body, start_at: '2017-05-04T07:00:00-04:00' };
      const {
        decision_id: id,
        plan,
        outlook,
      } = (await send(`${fleet.url}/api/v1/decisions`, { body: asked })).body.data;
      const { page, close } = await fleet.open(`/map?decision=${id}`);
      await sentence(page, / served: /);
      const answered = page.waitForResponse((response) => response.url().endsWith('/api/v1/optimize'));
      await page.getByRole('slider', { name: 'Service level' }).fill('0.95');
      const job = `${fleet.url}/api/v1/jobs/${(await (await answered).json()).data.job_id}`;
      const status = async () => (await send(job)).body.data.status;
      await expect.poll(status).toBe('completed');
      const { data } = (await send(job)).body.data.result;
      expect(data.total_cost).toBeCloseTo(plan.total_cost, 2);
      expect(data.kpis.demand_coverage).toBeCloseTo(plan.kpis.demand_coverage, 6);
      expect(data.allocation_plan.length).toBe(plan.allocation_plan.length);
      type Totals = { on_the_way: number; served: number };
      const totals = (steps: Totals[] = []) =>
        steps.map(({ on_the_way, served }) => [on_the_way, Math.round(served)]);
      expect(totals(data.outlook)).toEqual(totals(outlook));
      if (outlook) expect(outlook[0].on_the_way).toBe(300);
      await close();
    },
  );

  test('has no sliders for demand that is not certain, which decisions alone can plan for', async () => {
    const body = { mode: 'horizon', horizon_hours: 2, demand: 'spread' };
    const decided = await send(`${fleet.url}/api/v1/decisions`, { body });
    const { page, close } = await fleet.open(`/map?decision=${decided.body.data.decision_id}&service=0.5`);
    await page.getByText('This plan is for several outcomes of demand').waitFor();
    await expect.poll(() => page.getByRole('slider').count()).toBe(0);
    await page.getByRole('link', { name: 'See it ahead' }).click();
    await sentence(page, /2 hours ahead/);
    const { jobs } = (await send(`${fleet.url}/api/v1/jobs?limit=1`)).body.data;
    expect(jobs[0].job_id).toBe(decided.body.data.decision_id);
    await close();
  });

  test('is replaced by words where the browser has no WebGL, on Ahead as well; the table is there', async () => {
    const browser = await openBrowser(findChromium()!, ['--disable-3d-apis']);
    const { page } = await fleet.open('/jobs', { browser });
    const words = page.getByText('This browser draws no map: it has no WebGL 2');
    const sliders = page.getByRole('slider');
    const begin = { start_at: '2017-05-04T06:00:00-04:00' };
    for (const path of ['ahead', 'map']) {
      const body = path === 'ahead' ? { mode: 'horizon', horizon_hours: 4, ...begin } : {};
      const { decision_id: id } = (await send(`${fleet.url}/api/v1/decisions`, { body })).body.data;
      await page.goto(`${fleet.url}/console/${path}?decision=${id}`);
      await words.waitFor();
      await page.locator('.work-list tbody tr').first().waitFor();
      await expect.poll(() => sliders.count()).toBeGreaterThan(0);
    }
    await browser.close();
  });

  test('says why it is empty for a plan whose locations are not stored; its moves are there', async () => {
    const network = {
      location_ids: [1, 2],
      costs: [
        [0, 1],
        [1, 0],
      ],
    };
    const { body } = await send(`${fleet.url}/api/v1/optimize`, { body: { ...simpleRequest(), network } });
    const { page, close } = await fleet.open(`/map?plan=${body.metadata.plan_id}`);
    await page.getByText('There is nothing to draw: none of these locations is stored.').waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
    await close();
  });

  test('is filled by its circles on a phone that lies on its side', async () => {
    const { page, close } = await fleet.open('/map', { width: 844, height: 390 });
    await pictureOf(page);
    const share = await page.evaluate<number>(`(() => {
      const canvas = document.querySelector('.map > canvas');
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
      const isDrawn = (y) => data.subarray(4 * y * width, 4 * (y + 1) * width).some((value) => value > 0);
      const lines = Array.from({ length: height }, (_, y) => y).filter(isDrawn);
      // Beyond each edge of the map a fifth of it is drawn, too.
      return ((lines.at(-1) - lines[0]) / height) * 1.4;
    })()`);
    expect(share).toBeGreaterThan(0.5);
    await close();
  });
});
