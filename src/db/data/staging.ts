import type { PipelineSource, PipelineTransform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import * as schema from '../schema.ts';
import { STORE_STAGED_TRAVEL, TRAVEL_UPSERT } from '../travel/travel.ts';
import { TRIP_FLOW_UPSERT } from '../travel/trip-flows.ts';
import { bumpDemandRevision, DEMAND_UPSERT } from './demand.ts';
import { EVENT_UPSERT } from './events.ts';
import { VEHICLE_UPSERT } from './fleet.ts';
import { LOCATION_UPSERT, lockLocations } from './locations.ts';
import { type Counts, type UpsertTarget, upsertText } from './upsert.ts';

/**
 * Tables into which CSV rows are copied before any stored row is touched. They exist within one transaction, only it
 * can see them, and they keep the line number of each row.
 */
const STAGES = {
  locations: {
    columns:
      'id int, name text, latitude float8, longitude float8, time_zone text, active boolean, ' +
      'expected_daily_demand float8, priority smallint',
    upsert: LOCATION_UPSERT,
  },
  fleet: {
    columns:
      'vehicle_id text, location_id int, status text, capacity float8, acquired_on date, ' +
      'last_maintenance_on date, utilization_rate float8, available_at timestamptz(3)',
    upsert: VEHICLE_UPSERT,
  },
  demand: {
    columns: 'location_id int, hour timestamptz(3), demand float8',
    upsert: DEMAND_UPSERT,
  },
  events: {
    columns:
      'event_id text, location_id int, starts_at timestamptz(3), ends_at timestamptz(3), kind text, ' +
      'factor float8, name text',
    upsert: EVENT_UPSERT,
  },
  travel: {
    columns: 'from_location_id int, to_location_id int, distance_km float8, duration_minutes float8',
    upsert: TRAVEL_UPSERT,
  },
  trip_flows: {
    columns: 'from_location_id int, to_location_id int, trips float8, hour_of_week smallint',
    upsert: TRIP_FLOW_UPSERT,
  },
} as const satisfies Record<string, { columns: string; upsert: UpsertTarget }>;

export type Stage = keyof typeof STAGES;

/** The columns of each stage that name locations. */
const REFERENCES: Record<Exclude<Stage, 'locations'>, readonly string[]> = {
  fleet: ['location_id'],
  demand: ['location_id'],
  events: ['location_id'],
  travel: ['from_location_id', 'to_location_id'],
  trip_flows: ['from_location_id', 'to_location_id'],
};

/** The tables that forecasts are made from. Locations have the time zone. */
const CHANGES_FORECASTS: readonly Stage[] = ['locations', 'demand', 'events'];

type Client = pg.PoolClient;

/** Creates the empty stages of this transaction. */
export async function createStages(client: Client): Promise<void> {
  for (const [stage, { columns }] of Object.entries(STAGES)) {
    await client.query(`create temp table import_${stage} (line bigint, ${columns}) on commit drop`);
  }
}

/**
 * Copies text into a stage, as fast as the server accepts it.
 * @param source where the text begins, and the steps that turn it into `copyLine`s
 */
export async function fillStage(
  client: Client,
  stage: Stage,
  // biome-ignore lint/suspicious/noExplicitAny: each step takes what the one before gives
  ...source: [PipelineSource<any>, ...PipelineTransform<any, any>[]]
): Promise<void> {
  const copy = client.query(copyFrom(`copy import_${stage} from stdin`));
  await pipeline([...source, copy]);
  // The planner has no statistics of a new table.
  await client.query(`analyze import_${stage}`);
}

/** One line of COPY text: the line number of the row, then its values in the order of the stage; null is `\N`. */
export function copyLine(line: number, values: readonly (string | number | null)[]): string {
  let text = String(line);
  for (const value of values) text += `\t${value === null ? '\\N' : escapeCopy(String(value))}`;
  return `${text}\n`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escapeCopy(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (c) => ESCAPES[c]) : text;
}

/** A query of the keys of the staged rows. */
export function stagedKeys(stage: Exclude<Stage, 'demand'>): SQL {
  return sql.raw(`select ${STAGES[stage].upsert.key.join(', ')} from import_${stage}`);
}

/**
 * Takes the locks that are needed to store the stages, before anything is checked: what the checks find stored cannot
 * be deleted meanwhile. Locations first, as everywhere (`removal.ts`).
 */
export async function lockForStages(client: Client, stages: readonly Stage[]): Promise<void> {
  if (stages.includes('locations')) await lockLocations(drizzle(client, { schema }));
  const referring = stages.filter((stage) => stage !== 'locations');
  if (referring.length === 0) return;
  const named = referring
    .flatMap((stage) => REFERENCES[stage].map((column) => `select ${column} from import_${stage}`))
    .join(' union ');
  await client.query(`select from locations where id in (${named}) order by id for key share`);
}

/** Keys that occur on more than one line, each with its last line and its first. */
export async function findStagedDuplicates(client: Client, stage: Stage, limit: number) {
  const key = STAGES[stage].upsert.key.join(', ');
  const { rows } = await client.query<{ line: string; first: string } & Record<string, unknown>>(
    `select max(line) as line, min(line) as first, ${key} from import_${stage}
     group by ${key} having count(*) > 1 order by 1 limit $1`,
    [limit],
  );
  return rows.map(({ line, first, ...key }) => ({ line: Number(line), first: Number(first), key }));
}

/**
 * Locations that rows of a stage name and that are neither stored nor staged: each with the column that names it, its
 * first line and number of rows.
 */
export async function findStagedUnknownLocations(
  client: Client,
  stage: Exclude<Stage, 'locations'>,
  limit: number,
) {
  const named = REFERENCES[stage]
    .map((column) => `select '${column}' as column, ${column} as id, line from import_${stage}`)
    .join(' union all ');
  const { rows } = await client.query<{ column: string; id: number; line: string; count: string }>(
    `select "column", id, min(line) as line, count(*) from (${named}) s
     where id is not null and not exists (select from locations l where l.id = s.id)
       and not exists (select from import_locations i where i.id = s.id)
     group by 1, 2 order by 3, 1 limit $1`,
    [limit],
  );
  return rows.map(({ column, id, line, count }) => ({ column, id, line: Number(line), rows: Number(count) }));
}

/** Staged events that end before they begin, by line. */
export async function findStagedBackwardEvents(client: Client, limit: number) {
  const { rows } = await client.query<{ line: string; starts_at: Date; ends_at: Date }>(
    'select line, starts_at, ends_at from import_events where ends_at <= starts_at order by line limit $1',
    [limit],
  );
  return rows.map(({ line, starts_at, ends_at }) => ({ line: Number(line), from: starts_at, to: ends_at }));
}

/** Sets the time zone of the staged locations that have none. */
export async function setStagedTimeZone(client: Client, timeZone: string): Promise<void> {
  await client.query('update import_locations set time_zone = $1 where time_zone is null', [timeZone]);
}

/** Mean staged demand per location and hour, by ascending location. */
export async function readStagedMeanDemand(client: Client) {
  const { rows } = await client.query<{ location_id: number; mean: number }>(
    'select location_id, avg(demand) as mean from import_demand group by location_id order by location_id',
  );
  return rows.map(({ location_id, mean }) => ({ locationId: location_id, mean }));
}

/**
 * Moves the rows of stages into their tables, in the order given. Each table is locked against other writers until the
 * transaction ends (readers continue): a bulk request that writes the same rows in another order would deadlock.
 * @param onStage called before each stage
 */
export async function storeStages(
  client: Client,
  stages: readonly Stage[],
  onStage: (stage: Stage) => void = () => {},
): Promise<Partial<Record<Stage, Counts>>> {
  const counts: Partial<Record<Stage, Counts>> = {};
  for (const stage of stages) {
    onStage(stage);
    counts[stage] = await storeStage(client, stage);
  }
  // At the end: other writers of demand hold their table and wait here.
  if (stages.some((stage) => CHANGES_FORECASTS.includes(stage)))
    await bumpDemandRevision(drizzle(client, { schema }));
  return counts;
}

async function storeStage(client: Client, stage: Stage): Promise<Counts> {
  const { upsert } = STAGES[stage];
  await client.query(`lock table ${upsert.table} in share row exclusive mode`);
  const [before, after] = upsertText(upsert);
  const store = stage === 'travel' ? STORE_STAGED_TRAVEL : `${before} import_${stage} ${after}`;
  const total = await client.query<{ n: number }>(`select count(*)::int as n from import_${stage}`);
  // A table that was just emptied counts as one row. Looked through for each new row, while it grows, it would take
  // hours; a hash of it takes as long as it is.
  await client.query('set local enable_nestloop = off');
  const { rows } = await client.query<{ created: number }>(store);
  await client.query('set local enable_nestloop to default');
  const created = rows[0].created;
  return { created, updated: total.rows[0].n - created };
}
