import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  boxOf,
  expectAccessible,
  expectToFit,
  hasBrowser,
  inAddress,
  pictureOf,
  startConsole,
  textOfDownload,
} from '../helpers/console.ts';
import { send } from '../helpers/service.ts';

type Move = { source_location: number; target_location: number; vehicles: number };
type Answer = {
  decision_id: string;
  outlook: { demand: number; unmet: number; vehicles: number; moves: Move[] }[];
  plan: { kpis: { rebalanced_count: number } };
};

const whole = (value: number) => Math.round(value).toLocaleString('en-US');
const leaving = (moves: Move[]) => moves.reduce((sum, { vehicles }) => sum + vehicles, 0);

describe.skipIf(!hasBrowser)('the page Ahead of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole();
  });

  async function decide(more: object = {}): Promise<Answer> {
    const body = { mode: 'horizon', horizon_hours: 4, start_at: '2017-05-04T06:00:00-04:00', ...more };
    return (await send(`${fleet.url}/api/v1/decisions`, { body })).body.data;
  }
  const slider = (page: Page) => page.getByRole('slider', { name: 'Step' });
  const rows = (page: Page) => page.getByRole('table', { name: 'Moves of all steps' }).locator('tbody tr');
  const sentence = (page: Page, text: RegExp) =>
    page.getByRole('heading', { level: 1, name: text }).waitFor();

  test('says what to do while nothing looks ahead, plans, can be cancelled, and keeps the plan in the address', async () => {
    const { page, close } = await fleet.open('/ahead');
    await page.getByRole('heading', { name: 'No plan looks ahead yet.' }).waitFor();
    await expect.poll(() => page.locator('pre').textContent()).toContain('"mode": "horizon"');
    await page.locator('select[name=horizon]').selectOption('24 hours');
    await page.getByRole('button', { name: 'Plan ahead' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Planning was cancelled');
    await page.locator('select[name=horizon]').selectOption('3 hours');
    await page.getByLabel('Plan for').selectOption('what may come');
    await page.getByRole('button', { name: 'Plan ahead' }).click();
    await sentence(
      page,
      /^Thu, May 4, 2017, 00:00, 3 hours ahead: [\d,]+ trips expected, .*% can be served; \d+ vehicles move now, /,
    );
    const id = await inAddress(page, 'decision');
    const { inputs } = (await send(`${fleet.url}/api/v1/decisions/${id}`)).body.data;
    expect(inputs.request).toMatchObject({ mode: 'horizon', horizon_hours: 3, demand: 'spread' });
    // Later visits find the newest.
    await page.goto(`${fleet.url}/console/ahead`);
    await sentence(page, /3 hours ahead/);
    await close();
  });

  test('steps by keyboard; the arcs of all steps have the vehicles of the answer, and a link shows the same', async () => {
    const { decision_id: id, outlook, plan } = await decide();
    const { page, close } = await fleet.open(`/ahead?decision=${id}`);
    await sentence(page, /^Thu, May 4, 2017, 06:00, 4 hours ahead: /);
    await page.locator('.map > canvas').waitFor();
    const drawn = () => page.locator('.legend .due').textContent();
    const figures = page.getByRole('region', { name: 'Step', exact: true });
    await slider(page).focus();
    await expect
      .poll(() => drawn())
      .toMatch(new RegExp(`^now: ${plan.kpis.rebalanced_count} vehicles on \\d+ arcs$`));
    for (const [t, { demand, unmet, moves }] of outlook.entries()) {
      await page.keyboard.press('ArrowRight');
      const hour = `0${6 + t}:00`;
      const arcs = `${moves.length} ${moves.length === 1 ? 'arc' : 'arcs'}`;
      await expect.poll(drawn).toBe(`${hour}: ${whole(leaving(moves))} vehicles on ${arcs}`);
      await expect
        .poll(() => slider(page).getAttribute('aria-valuetext'))
        .toBe(`${hour}–${`0${7 + t}`.slice(-2)}:00`);
      for (const text of [whole(demand), whole(unmet), 'America/New_York'])
        await expect.poll(() => figures.textContent()).toContain(text);
    }
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => inAddress(page, 'step')).toBe('3');
    const before = await drawn();
    await page.reload();
    await expect.poll(drawn).toBe(before);
    await expect.poll(() => slider(page).inputValue()).toBe('3');
    const lines = page.getByRole('table', { name: /^Demand, served demand and moving vehicles/ });
    await expect
      .poll(() => lines.locator('tbody tr').nth(1).locator('td').first().textContent())
      .toBe(whole(outlook[0].demand));
    await expectAccessible(page);
    await close();
  });

  test('is one selection: a later move goes to its step, the location has its own lines, Esc clears, CSV has all', async () => {
    const { decision_id: id, outlook, plan } = await decide();
    const { page, close } = await fleet.open(`/ahead?decision=${id}&location=161`);
    const place = page.getByRole('region', { name: 'Midtown Center' });
    await place.getByText(/^06:00–07:00: [\d,]+ of [\d,]+ trips are served/).waitFor();
    await page.keyboard.press('Escape');
    await place.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Due/ }).click();
    await page.getByRole('button', { name: /^Due/ }).click();
    await rows(page).first().click();
    await expect.poll(() => inAddress(page, 'step')).toMatch(/^[34]$/);
    await expect.poll(() => inAddress(page, 'move')).toMatch(/^[34]:\d+-\d+$/);
    await expect.poll(() => rows(page).first().getAttribute('aria-selected')).toBe('true');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const csv = (await textOfDownload(download)).trim().split('\r\n').slice(1);
    const now = csv.filter((line) => line.startsWith('now,'));
    const sum = (lines: string[]) => lines.reduce((all, line) => all + Number(line.split(',').at(-1)), 0);
    expect(sum(now)).toBe(plan.kpis.rebalanced_count);
    expect(sum(csv) - sum(now)).toBeCloseTo(leaving(outlook.flatMap(({ moves }) => moves)), 3);
    await page.getByLabel('only this step').check();
    await expect
      .poll(() => rows(page).count())
      .toBe(outlook[Number(await inAddress(page, 'step')) - 1].moves.length);
    await close();
  });

  test('pins a location by a click or a link: its own figures and moves; says so if the plan has no such', async () => {
    const { decision_id: id, outlook } = await decide();
    const { page, close } = await fleet.open(`/ahead?decision=${id}`);
    const moves = page.getByRole('heading', { level: 2, name: /^\d+ moves?, / });
    const count = async () => Number.parseInt((await moves.textContent())!, 10);
    const all = await count();
    // A click finds nothing on a map that is not drawn yet.
    await pictureOf(page);
    const box = await boxOf(page.locator('.map'));
    const at = { x: box.x + box.width / 2, y: box.y + 45 };
    while ((await inAddress(page, 'location')) === null) {
      at.y += 10;
      expect(at.y).toBeLessThan(box.y + box.height);
      await page.mouse.click(at.x, at.y);
    }
    await expect.poll(() => inAddress(page, 'decision')).toBe(id);
    await page.locator('section.location').waitFor();

    // The link of a location that has moves shows its figures of the step, and these moves alone.
    const later = outlook.flatMap((step) => step.moves);
    const location = later[0].target_location;
    const own = (of: Move[]) =>
      of.filter(({ source_location: from, target_location: to }) => [from, to].includes(location)).length;
    await page.goto(`${fleet.url}/console/ahead?decision=${id}&location=${location}&step=2`);
    const place = page.locator('section.location');
    await place.getByText(/^07:00–08:00: [\d,]+ of [\d,]+ trips are served/).waitFor();
    const name = (await place.getAttribute('aria-label'))!;
    for (const text of await rows(page).allTextContents()) expect(text).toContain(name);
    const shown = await count();
    expect(shown).toBeGreaterThanOrEqual(own(later));
    expect(shown).toBeLessThan(all);

    await page.goto(`${fleet.url}/console/ahead?decision=${id}&location=9999`);
    await page.getByText('Location 9999 is not in this plan, so nothing is selected.').waitFor();
    await expect.poll(count).toBe(all);
    await close();
  });

  test('plays the steps, and only by hand for whoever wants no motion', async () => {
    const { decision_id: id } = await decide({ horizon_hours: 2 });
    const { page, close } = await fleet.open(`/ahead?decision=${id}`);
    // The steps come by the clock of the page, which is put forward.
    await page.clock.install();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await expect
      .poll(async () => {
        await page.clock.fastForward(60_000);
        return inAddress(page, 'step');
      })
      .toBe('2');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Next step' }).click();
    await expect.poll(() => inAddress(page, 'step')).toBe(null);
    await page.getByRole('button', { name: 'Next step' }).click();
    await expect.poll(() => inAddress(page, 'step')).toBe('1');
    await close();
  });

  test('says why there is no plan, and what would help as buttons that plan again', async () => {
    const constraints = { min_service_level: 1, max_rebalancing_cost: 10 };
    const refused = await send(`${fleet.url}/api/v1/decisions`, {
      body: { mode: 'horizon', horizon_hours: 2, constraints: { ...constraints, shortage: 'fail' } },
    });
    expect(refused.status).toBe(422);
    const { jobs } = (await send(`${fleet.url}/api/v1/jobs?limit=1`)).body.data;
    const { page, close } = await fleet.open(`/ahead?decision=${jobs[0].job_id}`);
    const refusal = page.getByRole('region', { name: 'No plan keeps all of this' });
    await refusal.getByText(refused.body.errors[0].message).waitFor();
    await refusal.getByRole('button', { name: /^Set service level to/ }).waitFor();
    const { decision_id: id } = await decide({ horizon_hours: 2, constraints });
    await page.goto(`${fleet.url}/console/ahead?decision=${id}`);
    const conflict = page.getByRole('region', { name: /^100\.0% was asked for/ });
    await conflict.getByRole('button', { name: /^Set service level to/ }).click();
    await conflict.waitFor({ state: 'detached' });
    const again = await send(`${fleet.url}/api/v1/decisions/${await inAddress(page, 'decision')}`);
    expect(again.body.data.inputs.request).toMatchObject({
      mode: 'horizon',
      start_at: '2017-05-04T06:00:00-04:00',
      constraints: { min_service_level: expect.toSatisfy((level: number) => level < 1) },
    });
    await close();
  });

  test('fits a phone, with its sentence above the map', async () => {
    const { page, close } = await fleet.open('/ahead?step=1', { width: 390, height: 844, colours: 'dark' });
    await rows(page).first().waitFor();
    const top = async (selector: string) => (await boxOf(page.locator(selector))).y;
    expect(await top('h1')).toBeLessThan(await top('.map'));
    await expectToFit(page);
    await expectAccessible(page);
    await close();
  });
});
