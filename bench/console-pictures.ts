import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { texts } from '../console/src/texts.ts';
import { randomFrom } from '../src/core/optimize/problem/random.ts';
import { findChromium, openBrowser } from '../test/helpers/browser.ts';

/**
 * Makes the pictures of the console in docs/planner/, of a service that runs with the sample. What they show is made
 * first, and stays in the service: three plans, the replay of a day, and drawn figures of vehicles, from which risk is
 * scored (the sample has none).
 *
 *     node bench/console-pictures.ts http://127.0.0.1:8000
 */
const DOCS = path.join(import.meta.dirname, '../docs/planner');
const SIZE = { width: 1200, height: 750 };
/** Of WebP; text stays sharp. */
const QUALITY = 80;
const MAX_BYTES = 150_000;
const WAIT_MS = 180_000;
const DAY_MS = 86_400_000;

/** Morning to evening of the day after the sample. */
const AHEAD = { mode: 'horizon', start_at: '2017-05-04T06:00:00-04:00', horizon_hours: 12 };
/** The last day of the sample, with each way of planning. */
const REPLAY = {
  from: '2017-05-03',
  to: '2017-05-04',
  fleet: { size: 8000 },
  trips_per_vehicle_hour: 2,
  unmet_demand_cost: 6,
  policies: [{ mode: 'none' }, { mode: 'nightly' }, { mode: 'static' }, { mode: 'horizon' }],
};

type Picture = {
  name: string;
  address: string;
  /** In the first heading when the page is complete. */
  answer: RegExp;
  colours?: 'dark';
  /** Brings the page into the state of the picture. */
  prepare?: (page: Page) => Promise<void>;
};

const [url = 'http://127.0.0.1:8000'] = process.argv.slice(2);
const chromium = findChromium();
if (!chromium) throw new Error('no Chromium was found on PATH');

const { replay_id: replay } = await ask('/api/v1/replays', REPLAY);
const decision = await ask('/api/v1/decisions', {});
const other = await ask('/api/v1/decisions', { demand: 'upper' });
const plans = [decision.plan_id, other.plan_id];

await storeFigures(400);

const ahead = await ask('/api/v1/decisions', AHEAD);

const PICTURES: Picture[] = [
  { name: 'today', address: `/?decision=${decision.decision_id}`, answer: / served/ },
  {
    name: 'map',
    address: `/map?decision=${decision.decision_id}&service=0.97&location=142`,
    answer: /^97/,
    colours: 'dark',
  },
  { name: 'ahead', address: `/ahead?decision=${ahead.decision_id}&step=2`, answer: / served/ },
  { name: 'plans', address: `/plans?a=${plans[0]}&b=${plans[1]}`, answer: /\d/ },
  { name: 'jobs', address: `/jobs?job=${other.job_id}`, answer: /\d/, colours: 'dark' },
  { name: 'forecast', address: '/forecast?location=161', answer: /\d/ },
  { name: 'replay', address: `/replay?replay=${replay}`, answer: /serves/ },
  { name: 'data', address: '/data?set=locations&row=161', answer: /\d/ },
  { name: 'risk', address: '/risk', answer: /\d/, prepare: chooseRiskiest },
  { name: 'operations', address: '/operations', answer: / ended/ },
];

const browser = await openBrowser(chromium);
try {
  for (const { name, address, answer, colours = 'light', prepare } of PICTURES) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: colours, reducedMotion: 'reduce' });
    page.setDefaultTimeout(WAIT_MS);
    await page.goto(`${url}/console${address}`);
    await page.getByRole('heading', { level: 1, name: answer }).waitFor();
    await prepare?.(page);
    await page.waitForLoadState('networkidle');
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    const file = path.join(DOCS, `console-${name}.webp`);
    writeFileSync(file, Buffer.from(data, 'base64'));
    const { size } = statSync(file);
    if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MAX_BYTES}`);
    console.log(file, size);
    await page.close();
  }
} finally {
  await browser.close();
}

/** Selects the riskiest vehicle. */
async function chooseRiskiest(page: Page): Promise<void> {
  await page.getByRole('table', { name: texts.risk.table }).locator('tbody tr').first().click();
}

/** Gives vehicles an age, a maintenance and a utilization, the same in each run. */
async function storeFigures(vehicles: number): Promise<void> {
  const random = randomFrom(1);
  const stored = await fetch(`${url}/api/v1/data/fleet?limit=${vehicles}`);
  const { fleet } = ((await stored.json()) as { data: { fleet: object[] } }).data;
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const answer = await fetch(`${url}/api/v1/data/fleet`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      fleet: fleet.map((vehicle) => ({
        ...vehicle,
        acquired_on: daysAgo(Math.round(200 + 2500 * random())),
        last_maintenance_on: daysAgo(Math.round(150 * random())),
        utilization_rate: Math.round(100 * (0.3 + 0.7 * random())) / 100,
      })),
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Posts a job and waits for its end. @returns its answer, with the ids of its metadata */
async function ask(path: string, body: object): Promise<Record<string, string>> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=600' },
    body: JSON.stringify(body),
  });
  const { data, metadata, errors } = (await answer.json()) as {
    data: Record<string, string>;
    metadata: Record<string, string>;
    errors?: object[];
  };
  if (!answer.ok) throw new Error(JSON.stringify(errors));
  return { ...metadata, ...data };
}
