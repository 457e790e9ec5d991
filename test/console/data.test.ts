import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  addressOf,
  expectAccessible,
  expectToFit,
  hasBrowser,
  inAddress,
  startConsole,
} from '../helpers/console.ts';
import { send } from '../helpers/service.ts';

/** A file as a reader chooses it. */
const csv = (name: string, lines: string[]) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(`${lines.join('\n')}\n`),
});

describe.skipIf(!hasBrowser)('the data of the console', () => {
  let fleet: Awaited<ReturnType<typeof startConsole>>;
  beforeAll(async () => {
    fleet = await startConsole();
  });
  const api = async (path: string) => (await send(`${fleet.url}/api/v1/data/${path}`)).body.data;

  test('says what is stored of each kind, with the newest observation on the clock of its location', async () => {
    const { page, close } = await fleet.open('/data');
    const sentence = (name: RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
    const choose = (set: string) => page.getByRole('combobox', { name: /^Data/ }).selectOption(set);
    await sentence(/^73 locations are stored, 73 of them active\.$/);
    await choose('Fleet');
    await sentence(/^13,587 vehicles are stored, [\d,]+ of them operational, at \d+ locations\.$/);
    await choose('Demand');
    await page.getByRole('combobox', { name: /^Location/ }).selectOption('Midtown Center');
    await sentence(
      /^Midtown Center: [\d,]+ hours of demand are stored, the newest is May 3, 2017, 11:00 PM EDT\.$/,
    );
    await choose('Travel');
    await sentence(/^Travel from Midtown Center to \d+ locations is stored, the farthest [\d.]+ km away\.$/);
    await choose('Trip flows');
    await sentence(/^[\d,]+ trips that began at Midtown Center are stored; they ended at \d+ locations\.$/);
    await page.getByLabel('Find').fill('upper east side n');
    const rows = page.getByRole('table', { name: 'Trip flows' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(1);
    await choose('Events');
    await page.getByRole('heading', { name: 'No events are stored.' }).waitFor();
    await expect
      .poll(() => page.locator('pre').textContent())
      .toContain(`curl ${fleet.url}/api/v1/data/events -X PUT`);
    await close();
  });

  test('changes one location and one vehicle, and repeats what the service refuses', async () => {
    const { page, requested, close } = await fleet.open('/data?find=alphabet');
    await page.getByRole('row', { name: /Alphabet City/ }).click();
    const form = page.getByRole('form', { name: 'Change Alphabet City' });
    await form.getByLabel('Priority').fill('2');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Alphabet City is changed.').waitFor();
    expect((await api('locations')).locations[0]).toMatchObject({ id: 4, priority: 2 });
    await expect.poll(() => inAddress(page, 'row')).toBe('4');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });

    const { fleet: vehicles } = await api('fleet');
    const { vehicle_id: id } = vehicles[0];
    await page.goto(`${fleet.url}/console/data?set=fleet&row=${id}`);
    const vehicle = page.getByRole('form', { name: `Change ${id}` });
    await vehicle.getByLabel('Status').selectOption('maintenance');
    await vehicle.getByLabel('Acquired').fill('2015-05-04');
    await vehicle.getByRole('button', { name: 'Save' }).click();
    await vehicle.getByText(`${id} is changed.`).waitFor();
    const [changed] = (await api('fleet')).fleet;
    expect(changed).toEqual({ ...vehicles[0], status: 'maintenance', acquired_on: '2015-05-04' });
    await expectAccessible(page);
    expect(requested.length).toBeGreaterThan(0);
    await close();

    const other = await fleet.open(`/data?set=fleet&row=${id}`);
    const refused = other.page.getByRole('form', { name: `Change ${id}` });
    await refused.getByLabel('Utilization').fill('7');
    await refused.getByRole('button', { name: 'Save' }).click();
    const words = await send(`${fleet.url}/api/v1/data/fleet/${id}`, {
      method: 'PATCH',
      body: { utilization_rate: 7 },
    });
    await refused.getByText(words.body.errors[0].message).waitFor();
    expect((await api('fleet')).fleet[0]).toEqual(changed);
    await other.page.close();
  });

  test('stores a CSV and says what is new, and deletes an event when asked twice', async () => {
    const { page, close } = await fleet.open('/data?set=events');
    const events = [
      'event_id,location_id,from,to,kind',
      'a,4,2017-05-06T04:00:00Z,2017-05-08T04:00:00Z,works',
    ];
    const file = page.getByLabel('CSV file');
    await file.setInputFiles(csv('events.csv', events));
    await page.locator('.stored').getByText('events.csv is stored: 1 created, 0 updated.').waitFor();
    await file.setInputFiles(
      csv('events.csv', [...events, 'b,,2030-05-06T04:00:00Z,2030-05-08T04:00:00Z,strike']),
    );
    await page.locator('.stored').getByText('events.csv is stored: 1 created, 1 updated.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Events stored: 2; not over yet: 1.' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'works' }).click();
    const form = page.getByRole('form', { name: 'Change a' });
    // Midnight in New York.
    const from = form.getByLabel('From (America/New_York)');
    await expect.poll(() => from.inputValue()).toBe('2017-05-06T00:00');
    await from.fill('2017-05-05T22:00');
    await form.getByLabel('Location').selectOption('all locations');
    await form.getByLabel('Factor').fill('0.5');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('a is changed.').waitFor();
    expect((await api('events')).events[0]).toEqual({
      event_id: 'a',
      location_id: null,
      from: '2017-05-06T02:00:00.000Z',
      to: '2017-05-08T04:00:00.000Z',
      kind: 'works',
      factor: 0.5,
    });
    await form.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete a', exact: true });
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    expect((await api('events')).events).toHaveLength(2);
    await form.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: /^Events stored: 1;/ }).waitFor();
    expect((await api('events')).events).toHaveLength(1);
    await close();
  });

  test('changes one hour of demand, one pair of travel and one count of trips', async () => {
    const { page, close } = await fleet.open('/data?set=demand&location=4');
    const save = async (title: RegExp, field: string, value: string) => {
      const form = page.getByRole('form', { name: title });
      await form.getByLabel(field, { exact: true }).fill(value);
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText(/ is changed\.$/).waitFor();
    };
    await page.getByRole('table', { name: 'Demand' }).locator('tbody tr').first().click();
    await save(/^Change Alphabet City, May 3, 2017, 11:00 PM EDT$/, 'Demand', '77.5');
    const { observations } = await api('demand?location_id=4&from=2017-05-04T03:00:00Z');
    expect(observations).toEqual([{ location_id: 4, hour: '2017-05-04T03:00:00Z', demand: 77.5 }]);

    await page.goto(`${fleet.url}/console/data?set=travel&location=4&row=4/12`);
    const before = (await api('travel?from_location_id=4')).travel;
    await save(/^Change Alphabet City → Battery Park$/, 'Minutes', '99');
    const pair = ({ to_location_id }: { to_location_id: number }) => to_location_id === 12;
    const { travel } = await api('travel?from_location_id=4');
    expect(travel).toHaveLength(before.length);
    expect(travel.find(pair)).toEqual({ ...before.find(pair), duration_minutes: 99 });

    const flow = (await api('trip-flows?from_location_id=4')).trip_flows[0];
    const row = `4/${flow.to_location_id}/${flow.hour_of_week ?? ''}`;
    await page.goto(`${fleet.url}/console/data?set=trip-flows&location=4&row=${row}`);
    await save(/^Change Alphabet City → /, 'Trips', '123');
    expect((await api('trip-flows?from_location_id=4')).trip_flows[0]).toEqual({ ...flow, trips: 123 });
    await expectAccessible(page);
    await close();
  });

  test('takes back one hour of demand, and all hours after a time', async () => {
    const { page, close } = await fleet.open('/data?set=demand&location=12');
    const stored = async () =>
      (await api('demand?location_id=12&from=2017-05-03T04:00:00Z')).observations.length;
    const before = await stored();
    await page.getByRole('table', { name: 'Demand' }).locator('tbody tr').first().click();
    const remove = async (within: ReturnType<typeof page.getByRole>) => {
      await within.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    };
    await remove(page.getByRole('form', { name: /^Change Battery Park/ }));
    await expect.poll(stored).toBe(before - 1);
    const hours = page.getByRole('region', { name: 'Delete demand of Battery Park' });
    await hours.getByLabel('From (America/New_York)').fill('2017-05-03T00:00');
    await remove(hours);
    await expect.poll(stored).toBe(0);
    await page.getByRole('heading', { level: 1, name: /the newest is May 2, 2017/ }).waitFor();
    await expectAccessible(page);
    await close();
  });

  test('deletes a vehicle, and a location that has data only when asked once more', async () => {
    const [{ vehicle_id: vehicle }] = (await api('fleet?limit=1')).fleet;
    await send(`${fleet.url}/api/v1/data/locations`, {
      method: 'PUT',
      body: { locations: [{ id: 990, name: 'Depot', latitude: 40.7, longitude: -74 }] },
    });
    const vehicles = [{ vehicle_id: 'D-1', location_id: 990 }];
    await send(`${fleet.url}/api/v1/data/fleet`, { method: 'PUT', body: { fleet: vehicles } });
    const { page } = await fleet.open(`/data?set=fleet&row=${vehicle}`);
    const remove = async (title: string) => {
      await page.getByRole('form').getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: `Delete ${title}` });
      await dialog.getByRole('button', { name: 'Delete' }).click();
      return dialog;
    };
    await remove(vehicle);
    await page.getByRole('heading', { level: 1, name: /^13,587 vehicles are stored/ }).waitFor();
    await expect.poll(async () => new URL(await addressOf(page)).searchParams.has('row')).toBe(false);

    await page.goto(`${fleet.url}/console/data?row=990`);
    const dialog = await remove('Depot');
    await dialog.getByText(/cascade/).waitFor();
    expect((await api('locations')).locations).toHaveLength(74);
    await dialog.getByRole('button', { name: 'Delete it with all its data' }).click();
    await page.getByRole('heading', { level: 1, name: /^73 locations are stored/ }).waitFor();
    expect((await api('fleet?location_id=990')).fleet).toEqual([]);
    await page.close();
  });

  test('reads 100,000 rows at first, and finds what is stored beyond them, by its words or by the address', async () => {
    await fleet.pool.query(
      `insert into vehicles (vehicle_id, location_id, status, capacity)
       select 'X-' || i, 4, 'operational', 1 from generate_series(1, 90000) i`,
    );
    const { page, close } = await fleet.open('/data?set=fleet');
    await page.getByText('these are the first 100,000 rows.').waitFor();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Data');
    // By id, these are the last of all.
    await page.getByRole('searchbox', { name: 'Find' }).fill('X-999');
    const rows = page.getByRole('table', { name: 'Fleet' }).locator('tbody tr');
    await rows.filter({ hasText: /^X-9999/ }).waitFor();
    await expect.poll(() => rows.count()).toBe(11);
    await page.goto(`${fleet.url}/console/data?set=fleet&row=X-9998`);
    await page.getByRole('form', { name: 'Change X-9998' }).waitFor();
    await page.goto(`${fleet.url}/console/data?set=fleet&row=X-0`);
    await page.getByText('There is no row X-0: it was deleted, or never stored.').waitFor();
    await fleet.pool.query(`delete from vehicles where vehicle_id like 'X-%'`);
    await close();
  });

  test('says of a location in the address that is not stored which one it shows instead', async () => {
    const { page, close } = await fleet.open('/data?set=demand&location=9999');
    await page.getByText('Location 9999 is not stored; this is Alphabet City.').waitFor();
    await page.goto(`${fleet.url}/console/forecast?location=9999`);
    await page.getByText('Location 9999 is not stored; this is Alphabet City.').waitFor();
    await close();
  });

  test('takes a file that is dropped anywhere on the page, packed or not, and names its fault by line', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'console-drop-'));
    const { page } = await fleet.open('/data?set=demand&location=4');
    await page.getByRole('heading', { level: 1, name: /^Alphabet City: / }).waitFor();
    const cdp = await page.context().newCDPSession(page);
    /** Drops files as the browser takes them from another program. */
    const drop = async (...files: string[]) => {
      const data = { items: [], files, dragOperationsMask: 1 };
      // Beside the section that says where: left to itself, the browser would open the file.
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await cdp.send('Input.dispatchDragEvent', { type, x: 700, y: 60, data });
    };
    const write = async (name: string, content: string | Buffer) => {
      const file = path.join(folder, name);
      await writeFile(file, content);
      return file;
    };
    const row = (hour: number) => `4,2017-05-04T${String(hour).padStart(2, '0')}:00:00Z,${hour}`;
    const header = 'location_id,hour,demand';
    const good = [header, row(4), row(5)].join('\n');
    await drop(await write('hours.csv.gz', gzipSync(good)));
    await page.locator('.stored').getByText('hours.csv.gz is stored: 2 created, 0 updated.').waitFor();
    const { observations } = await api('demand?location_id=4&from=2017-05-04T04:00:00Z');
    expect(observations.map(({ demand }: { demand: number }) => demand)).toEqual([4, 5]);

    const bad = await write('more.csv', [header, row(6), '4,2017-05-04T06:30:00Z,1'].join('\n'));
    await drop(bad);
    const faults = page.getByRole('table', { name: 'Nothing of more.csv was stored: 1 fault.' });
    await faults.getByRole('row').filter({ hasText: 'line 3' }).waitFor();
    await drop(await write('packed.csv.gz', good));
    await page
      .getByText(/^Nothing of packed\.csv\.gz was stored: 1 fault\.$/)
      .first()
      .waitFor();
    await drop(bad, bad);
    await page.getByText('Nothing was stored: drop one file at a time.').waitFor();
    expect((await api('demand?location_id=4&from=2017-05-04T04:00:00Z')).observations).toHaveLength(2);
    await expect.poll(async () => new URL(await addressOf(page)).pathname).toBe('/console/data');
    await page.close();
    await rm(folder, { recursive: true });
  });

  test('says of a file that is beyond the limit of the service what the limit is', async () => {
    const small = await fleet.startApi({ HTTP_BODY_LIMIT_BYTES: 100_000 });
    const { page } = await fleet.open('/data?set=demand', { service: small.url });
    const line = '4,2017-05-04T06:00:00Z,1';
    await page
      .getByLabel('CSV file')
      .setInputFiles(
        csv('year.csv', ['location_id,hour,demand', ...Array.from({ length: 200_000 }, () => line)]),
      );
    await page
      .getByText(/100000/)
      .first()
      .waitFor();
    await page.close();
  });

  test('shows the faults of a CSV by line in the words of the service, and stores none of it', async () => {
    const { page } = await fleet.open('/data?set=locations', { width: 390, height: 844, colours: 'dark' });
    const lines = ['id,name,latitude,longitude', '901,Island,40.7,-74', '902,Reef,400,-74', '903,,40,here'];
    await page.getByLabel('CSV file').setInputFiles(csv('places.csv', lines));
    const faults = page.getByRole('table', { name: /^Nothing of places\.csv was stored: \d faults\.$/ });
    await faults.waitFor();
    const answer = await fetch(`${fleet.url}/api/v1/data/locations`, {
      method: 'PUT',
      headers: { 'content-type': 'text/csv' },
      body: `${lines.join('\n')}\n`,
    });
    const { errors } = (await answer.json()) as { errors: { field: string; message: string }[] };
    expect(errors.map(({ field }) => field)).toContain('line 3');
    const shown = await faults.locator('tbody tr').allTextContents();
    expect(shown).toEqual(errors.map(({ field, message }) => `${field}${message}`));
    expect((await api('locations')).locations).toHaveLength(73);
    await expectToFit(page);
    await expectAccessible(page);
    await page.close();
  });
});
