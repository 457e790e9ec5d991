import { beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectToFit,
  hasBrowser,
  inAddress,
  pictureOf,
  startConsole,
  untilRead,
} from '../helpers/console.ts';
import { send } from '../helpers/service.ts';

/** Four zones, one day: as in docs/planner/replays.md, with drawn trip ends and a policy that knows the demand. */
const SHORT = {
  from: '2017-04-27',
  to: '2017-04-28',
  location_ids: [48, 161, 230, 236],
  fleet: { size: 800 },
  trips_per_vehicle_hour: 2,
  unmet_demand_cost: 6,
  policies: [{ mode: 'none' }, { mode: 'static' }, { mode: 'horizon', demand: 'observed' }],
  seeds: [1, 2],
};

describe.skipIf(!hasBrowser)('the replays of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  let replayId: string;
  beforeAll(async () => {
    fleet = await startConsole();
    replayId = (await send(`${fleet.url}/api/v1/replays`, { body: SHORT })).body.data.replay_id;
  });

  test('are shown by their address: the best policy in a sentence, all in a table, beside the bound', async () => {
    const { data } = (await send(`${fleet.url}/api/v1/replays/${replayId}`)).body;
    const { page, close } = await fleet.open(`/replay?replay=${replayId}`);
    await page
      .getByRole('heading', {
        level: 1,
        name: /^Thu, Apr 27, 2017: a plan each hour serves 66\.\d% of 46,575 trips instead of 63\.7% \(nobody moves\): \+1,\d{3} /,
      })
      .waitFor();
    const rows = page.getByRole('table', { name: 'Policies side by side' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(3);
    const shares = data.policies[0].drawn.map((drawn: { served_share: number }) => drawn.served_share);
    const least = `${(100 * Math.min(...shares)).toFixed(1)}%`;
    await expect.poll(() => rows.nth(0).textContent()).toContain(least);
    await expect.poll(() => rows.nth(2).textContent()).toContain('six hours ahead, knowing the demand');
    const bound = Math.round(data.bound).toLocaleString('en-US');
    await page.getByText(`cost and lost trips come to at least ${bound},`).waitFor();
    await page.getByText(/^Assumed: 800 vehicles, all alike, serve up to 2 trips an hour each/).waitFor();
    await expectAccessible(page);
    await close();
  });

  test('show by hour and by location what the chosen policy served, and keep it in the address', async () => {
    const { data } = (await send(`${fleet.url}/api/v1/replays/${replayId}`)).body;
    const { page, close } = await fleet.open(`/replay?replay=${replayId}`);
    const hours = page.getByRole('table', { name: 'Trips served by hour' });
    await hours.waitFor({ state: 'attached' });
    await expect.poll(() => hours.locator('tbody tr').count()).toBe(24);
    const first = hours.locator('tbody tr').first();
    await expect
      .poll(() => first.locator('td').first().textContent())
      .toBe(data.demand_by_hour[0].toLocaleString('en-US'));
    // Drawn before the others: its filling would hide their lines.
    const drawn = page.locator('.u-legend').first().locator('.u-label');
    await expect
      .poll(async () => (await drawn.allTextContents()).slice(1, 3))
      .toEqual(['demand', 'a plan each hour']);
    const losses = page.getByRole('table', { name: /^Where trips were lost/ });
    const lost = data.demand_by_location.map(
      (demand: number, i: number) => demand - data.policies[1].served_by_location[i],
    );
    const most = Math.round(Math.max(...lost)).toLocaleString('en-US');
    await expect.poll(() => losses.locator('tbody tr').first().locator('td').nth(1).textContent()).toBe(most);
    await page.getByRole('row', { name: /^nobody moves/ }).click();
    await page.getByRole('heading', { name: 'Where trips were lost: nobody moves' }).waitFor();
    await expect.poll(() => inAddress(page, 'policy')).toBe('none');
    await close();
  });

  test('show where trips were lost on a map that is one selection with the table', async () => {
    const { data } = (await send(`${fleet.url}/api/v1/replays/${replayId}`)).body;
    const { page, close } = await fleet.open(`/replay?replay=${replayId}&policy=static`);
    const rows = page
      .getByRole('table', { name: /^Where trips were lost: a plan each hour/ })
      .locator('tbody tr');
    await rows.first().click();
    const location = await inAddress(page, 'location');
    const at = data.location_ids.indexOf(Number(location));
    const [none, hourly] = data.policies.map(
      ({ served_by_location: served }: { served_by_location: number[] }) =>
        data.demand_by_location[at] - served[at],
    );
    const [lost, before] = [hourly, none].map(Math.round);
    const sentence = page.getByText(`: ${lost.toLocaleString('en-US')} of `);
    const fewer = (before - lost).toLocaleString('en-US');
    await expect.poll(() => sentence.textContent()).toContain(`; ${fewer} fewer than with “nobody moves”.`);

    // The circle around the location that the table picked; a click on its middle picks it on the map.
    await page.locator('.compared .map').scrollIntoViewIfNeeded();
    // Both pictures rest: the map, and what is lit above it.
    await pictureOf(page);
    const ring = `(() => {
      const canvas = document.querySelector('.compared .map .lit canvas');
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'var(--accent)';
      const accent = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
      probe.remove();
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
      const [xs, ys] = [[], []];
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] < 255 || accent.some((value, j) => Math.abs(value - data[i + j]) > 4)) continue;
        xs.push((i / 4) % width);
        ys.push(Math.floor(i / 4 / width));
      }
      if (xs.length === 0) return undefined;
      const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
      const box = canvas.getBoundingClientRect();
      return [box.x + (middle(xs) * box.width) / width, box.y + (middle(ys) * box.height) / height];
    })()`;
    const [x, y] = await untilRead(() => page.evaluate<[number, number] | undefined>(ring));
    await page.keyboard.press('Escape');
    await sentence.waitFor({ state: 'detached' });
    await page.mouse.click(x, y);
    await sentence.waitFor();
    await expect.poll(() => inAddress(page, 'location')).toBe(location);
    await expect.poll(() => rows.first().getAttribute('aria-selected')).toBe('true');
    await expectAccessible(page);
    await close();
  });

  test('show where trips were lost in one hour, and keep it in the address', async () => {
    const { data } = (await send(`${fleet.url}/api/v1/replays/${replayId}`)).body;
    const hour = 17;
    const { page, close } = await fleet.open(`/replay?replay=${replayId}&policy=static`);
    const title = 'Where trips were lost: a plan each hour';
    const first = page.getByRole('table', { name: title }).locator('tbody tr').first();
    const inAll = await first.locator('td').nth(1).textContent();
    const choice = page.getByRole('combobox', { name: 'Hour', exact: true });
    await choice.selectOption('Thu, Apr 27, 17:00');
    const lost = data.policies[1].lost_by_hour_and_location[hour];
    const most = Math.round(Math.max(...lost)).toLocaleString('en-US');
    await first.locator('td').nth(1).getByText(most, { exact: true }).waitFor();
    expect(most).not.toBe(inAll);
    const at = lost.indexOf(Math.max(...lost));
    const trips = data.demand_by_hour_and_location[hour][at].toLocaleString('en-US');
    await expect.poll(() => first.locator('td').nth(3).textContent()).toBe(trips);
    await expect.poll(() => inAddress(page, 'hour')).toBe(String(hour));
    await expectAccessible(page);
    await page.reload();
    await first.locator('td').nth(1).getByText(most, { exact: true }).waitFor();
    await choice.selectOption('all hours');
    await first.locator('td').nth(1).getByText(inAll!, { exact: true }).waitFor();
    await close();
  });

  test('scroll on under the wheel over their map, which zooms while Ctrl is held', async () => {
    const { page, close } = await fleet.open(`/replay?replay=${replayId}`);
    const map = page.locator('.compared .map');
    await map.locator('> canvas').waitFor();
    await map.scrollIntoViewIfNeeded();
    await map.hover();
    const scrolled = () => page.evaluate<number>('window.scrollY');
    const picture = () =>
      page.evaluate<string>("document.querySelector('.compared .map > canvas').toDataURL()");
    const before = await scrolled();
    await page.mouse.wheel(0, -60);
    await expect.poll(scrolled).toBe(before - 60);
    const drawn = await picture();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -60);
    await expect.poll(picture).not.toBe(drawn);
    await expect.poll(scrolled).toBe(before - 60);
    await close();
  });

  test('are started with other days, fleet and policies, found again after a reload, and listed', async () => {
    const { page, close } = await fleet.open('/replay');
    await page.getByRole('heading', { level: 1, name: /^What would plans have brought/ }).waitFor();
    await expect.poll(() => page.getByLabel('First day').inputValue()).toBe('2017-04-27');
    await expect.poll(() => page.getByLabel('Last day').inputValue()).toBe('2017-05-03');
    await page.getByLabel('Last day').fill('2017-04-27');
    await page.getByLabel('Fleet').selectOption('of another size');
    await page.getByLabel('Vehicles').fill('8000');
    // A plan each night needs one forecast; the others need one each hour.
    await page.getByLabel('a plan each hour').uncheck();
    await page.getByLabel('looking six hours ahead').uncheck();
    await page.getByLabel('six hours ahead, knowing the demand').uncheck();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page
      .getByRole('heading', { level: 1, name: /^Thu, Apr 27, 2017: a plan each night serves/ })
      .waitFor();
    const id = await inAddress(page, 'replay');
    const { data } = (await send(`${fleet.url}/api/v1/replays/${id}`)).body;
    expect(data).toMatchObject({ from: '2017-04-27', to: '2017-04-28', fleet_size: 8000 });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: /a plan each night serves/ }).waitFor();
    const stored = page.getByRole('table', { name: 'Stored replays' }).locator('tbody tr');
    await expect.poll(() => stored.count()).toBe(2);
    await stored.nth(1).click();
    await page.getByRole('heading', { level: 1, name: /a plan each hour serves/ }).waitFor();
    await expect.poll(() => inAddress(page, 'replay')).toBe(replayId);
    await close();
  });

  test('tell their progress and are cancelled, in the service, too', async () => {
    const { page } = await fleet.open('/replay');
    await page.getByLabel('Chance').selectOption('and 10 times drawn ones');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('progressbar', { name: 'replaying' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('This replay was cancelled.').waitFor();
    const id = await inAddress(page, 'replay');
    expect((await send(`${fleet.url}/api/v1/jobs/${id}`)).body.data.status).toBe('cancelled');
    await page.close();
  });

  test('say what the service refuses: days that are not observed yet', async () => {
    const { page } = await fleet.open('/replay');
    await page.getByLabel('Last day').fill('2017-05-09');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('alert').getByRole('heading', { name: 'The service refused this:' }).waitFor();
    await page.close();
  });

  test('fit a phone', async () => {
    const { page, close } = await fleet.open(`/replay?replay=${replayId}`, {
      width: 390,
      height: 844,
      colours: 'dark',
    });
    await page.getByRole('table', { name: 'Policies side by side' }).waitFor();
    await expectToFit(page);
    await expectAccessible(page);
    await close();
  });
});
