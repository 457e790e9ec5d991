import { Readable } from 'node:stream';
import { Argument, type Command } from 'commander';
import type { components, FleetClient } from 'fleet-client';
import { action, type CliContext } from '../context.ts';
import { InputError } from '../exit-codes.ts';
import { numberOption, readBytes } from '../input.ts';
import { writeTo } from '../output.ts';
import { saveCsv } from './plans.ts';

const KINDS = ['locations', 'fleet', 'demand', 'travel', 'events', 'trip-flows'] as const;
type Kind = (typeof KINDS)[number];

/** Columns of what the service gives as JSON only. */
const COLUMNS = {
  locations: [
    'id',
    'name',
    'latitude',
    'longitude',
    'time_zone',
    'active',
    'expected_daily_demand',
    'priority',
  ],
  fleet: [
    ...['vehicle_id', 'location_id', 'status', 'capacity', 'acquired_on', 'last_maintenance_on'],
    ...['utilization_rate', 'available_at'],
  ],
  events: ['event_id', 'location_id', 'from', 'to', 'kind', 'factor', 'name'],
};

type Filter = 'location' | 'from' | 'to';
type PullOptions = { output?: string; location?: number; from?: string; to?: string };
type Query = Record<string, string | number>;

/** The filters of each kind, and how the service names them. */
const FILTERS: Record<Kind, Partial<Record<Filter, string>>> = {
  locations: {},
  fleet: { location: 'location_id' },
  demand: { location: 'location_id', from: 'from', to: 'to' },
  travel: { location: 'from_location_id' },
  events: { location: 'location_id' },
  'trip-flows': { location: 'from_location_id' },
};

export function addData(program: Command): void {
  const data = program.command('data').summary('send and read stored data as CSV');
  const kind = () => new Argument('<what>', KINDS.join(', ')).choices(KINDS);
  data
    .command('push')
    .summary('store the rows of a CSV: all or none')
    .addArgument(kind())
    .argument('<file>', 'CSV, or CSV packed as .gz; - is standard input')
    .option('--replace', 'the file is the whole set: what it does not contain is deleted')
    .action(action(push));
  data
    .command('pull')
    .summary('read stored rows as a CSV that push takes')
    .addArgument(kind())
    .option('--location <id>', 'only what is there, or begins there', numberOption)
    .option('--from <time>', 'only demand from this time on; a day begins at 00:00 UTC')
    .option('--to <time>', 'only demand before this time')
    .option('-o, --output <file>', 'where to; default: standard output')
    .action(action(pull));
  data
    .command('delete')
    .summary('delete stored demand of a location, a time, or both')
    .addArgument(new Argument('<what>', 'demand').choices(['demand']))
    .option('--location <id>', 'only of this location', numberOption)
    .option('--from <time>', 'only from this time on; a day begins at 00:00 UTC')
    .option('--to <time>', 'only before this time')
    .action(action(remove));
}

async function push({ fleet, output }: CliContext, kind: Kind, file: string, options: { replace?: boolean }) {
  const response = await fleet.send(`/api/v1/data/${kind}${options.replace ? '?replace=true' : ''}`, {
    method: kind === 'demand' ? 'POST' : 'PUT',
    body: await readBytes(file),
    headers: { 'content-type': 'text/csv', ...(file.endsWith('.gz') && { 'content-encoding': 'gzip' }) },
  });
  const answer = (await response.json()) as components['schemas']['UpsertCountsEnvelope'];
  const { created, updated, removed } = answer.data;
  const gone = removed ? `, ${Object.values(removed).reduce((a, b) => a + b, 0)} removed` : '';
  output.answer(answer, () => `${kind}: ${created} created, ${updated} updated${gone}`);
}

async function pull(context: CliContext, kind: Kind, options: PullOptions): Promise<void> {
  const query = queryOf(kind, options);
  if (kind === 'demand' || kind === 'travel' || kind === 'trip-flows') {
    return saveCsv(context, `/api/v1/data/${kind}`, { ...options, query });
  }
  const rows = await readRows(context.fleet, kind, query);
  const columns = COLUMNS[kind];
  const lines = rows.map((row) => `${columns.map((name) => quote(row[name])).join(',')}\r\n`);
  await writeTo(options.output, Readable.from([`${columns.join(',')}\r\n`, ...lines]));
}

async function remove({ fleet, output }: CliContext, kind: 'demand', options: PullOptions): Promise<void> {
  const answer = await fleet.delete('/api/v1/data/demand', { params: { query: queryOf(kind, options) } });
  output.answer(answer, () => `demand: ${answer.data.removed.observations} removed`);
}

/** The filters as the service names them. @throws InputError for one that this kind of data does not have */
function queryOf(kind: Kind, { location, from, to }: PullOptions): Query {
  const asked = { location, from, to };
  const known = FILTERS[kind];
  const wrong = Object.keys(asked).find((name) => asked[name as Filter] !== undefined && !(name in known));
  if (wrong !== undefined) throw new InputError(`${kind} cannot be filtered by --${wrong}`);
  const query: Query = {};
  for (const [name, field] of Object.entries(known)) {
    const value = asked[name as Filter];
    if (value !== undefined)
      query[field] = /^\d{4}-\d\d-\d\d$/.test(`${value}`) ? `${value}T00:00:00Z` : value;
  }
  return query;
}

async function readRows(
  fleet: FleetClient,
  kind: keyof typeof COLUMNS,
  query: Query,
): Promise<Record<string, unknown>[]> {
  if (kind === 'locations') return (await fleet.get('/api/v1/data/locations')).data.locations;
  if (kind === 'fleet') return (await fleet.get('/api/v1/data/fleet', { params: { query } })).data.fleet;
  return (await fleet.get('/api/v1/data/events', { params: { query } })).data.events;
}

function quote(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
