import { Column, Name, Param, SQL, StringChunk, sql, Table } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { PgDialect } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { assertUnpacksRows } from './packed-json.ts';
import * as schema from './schema.ts';
import { watchPulse } from './service/pulse.ts';

export type Database = ReturnType<typeof openDatabase>['db'];
/** A database or a transaction on it. */
export type Queryable = Pick<
  Database,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'execute' | 'with' | '$with'
>;

/**
 * Opens a connection pool.
 * @param url postgresql://…
 * @param options.poolSize connections at most; `onError` is called when an idle connection is lost
 * @returns the Drizzle database, its pool (for COPY and cursors), a pool of one connection that only asks whether the
 * server answers, however many wait for the others, and `close`
 */
export function openDatabase(url: string, options: { poolSize: number; onError: (error: Error) => void }) {
  assertUnpacksRows();
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    // If the server is unreachable, fail soon: the caller gets 503 instead of waiting.
    connectionTimeoutMillis: 3000,
    keepAlive: true,
  });
  // A connection may be lost while it is idle or checked out. Neither may end the process.
  pool.on('error', options.onError);
  pool.on('connect', (client) => client.on('error', options.onError));
  const db = drizzle(pool, { schema });
  // Drizzle's own `transaction` never returns the connection if `begin` fails, so the pool would shrink by one each
  // time.
  db.transaction = async (work, options) => {
    const client = await pool.connect();
    let isStale = false;
    try {
      return await drizzle(client, { schema }).transaction(work, options);
    } catch (error) {
      // After a failover the connection may lead to a standby for ever.
      isStale = isDatabaseUnavailable(error);
      throw error;
    } finally {
      client.release(isStale);
    }
  };
  const monitor = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 3000,
    keepAlive: true,
  });
  monitor.on('error', options.onError);
  monitor.on('connect', (client) => client.on('error', options.onError));
  const endWatch = watchPulse(pool, url, options.onError);
  const close = async () => {
    await Promise.all([pool.end(), monitor.end()]);
    await endWatch();
  };
  return { db, pool, monitor, close };
}

/** Runs queries that all see the database as of the first of them. */
export function inSnapshot<T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}

/** Runs `work` in a transaction on a connection of its own. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The running query fails too. Without a listener a lost connection would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that cannot even roll back does not return to the pool.
    await client.query('rollback').catch(onError);
    if (isDatabaseUnavailable(error)) broken ??= error as Error;
    throw error;
  } finally {
    client.removeListener('error', onError);
    client.release(broken);
  }
}

/**
 * Whether the server takes writes, and has room on its disk: the rows do not fit into this memory, so they go to a
 * file. A table would be left with the rows of each check.
 */
const CHECK = `set local work_mem = '64kB';
  select current_setting('transaction_read_only') = 'on' as is_read_only,
    (select count(*) from generate_series(1, 10000)) as spilled`;

/**
 * Tells what keeps a database from working, in words that follow "the database".
 * @param pool of a connection that nobody else uses: after a failover it is opened anew
 * @param withinMs an answer that takes longer counts as none; this includes the wait for the connection
 * @returns undefined if it works
 */
export async function databaseFault(pool: pg.Pool, withinMs: number): Promise<string | undefined> {
  const query: pg.QueryConfig & { query_timeout: number } = { text: CHECK, query_timeout: withinMs };
  let client: pg.PoolClient | undefined;
  let fault: string | undefined;
  try {
    client = await pool.connect();
    // Two statements, two results.
    const [, { rows }] = (await client.query(query)) as unknown as pg.QueryResult<{
      is_read_only: boolean;
    }>[];
    if (rows[0].is_read_only) fault = READ_ONLY;
  } catch (error) {
    fault = unavailableWords(error);
  }
  client?.release(fault !== undefined);
  return fault;
}

const dialect = new PgDialect();

/**
 * The texts of prepared statements by name, with what differs if a statement has other parts: the number of its values,
 * and how long its fixed text is.
 */
const prepared = new Map<string, { text: string; count: number; length: number }>();

/**
 * Runs a statement that PostgreSQL parses and plans once per connection instead of at every call, and whose text is
 * made once. For the statements of every job: planning them costs as much as running them.
 * @param name one per text; two texts under one name are an error
 */
export async function executePrepared<Row extends pg.QueryResultRow>(
  db: Pick<Database, '$client'>,
  name: string,
  statement: SQL,
): Promise<Row[]> {
  const { rows } = await db.$client.query<Row>({ name, ...toQuery(name, statement) });
  return rows;
}

function toQuery(name: string, statement: SQL): { text: string; values: unknown[] } {
  const { values, length } = readParts(statement);
  const known = prepared.get(name);
  if (known?.count === values.length && known.length === length) return { text: known.text, values };
  const query = dialect.sqlToQuery(statement);
  prepared.set(name, { text: query.sql, count: query.params.length, length });
  return { text: query.sql, values: query.params };
}

/** The values of a statement in the order of its text, and the length of its fixed text, without making the text. */
function readParts(chunk: unknown, parts: { values: unknown[]; length: number } = { values: [], length: 0 }) {
  if (chunk instanceof SQL) for (const part of chunk.queryChunks) readParts(part, parts);
  else if (Array.isArray(chunk)) for (const part of chunk) readParts(part, parts);
  else if (chunk instanceof StringChunk) for (const text of chunk.value) parts.length += text.length;
  else if (chunk instanceof Param) {
    parts.values.push(chunk.value === null ? null : chunk.encoder.mapToDriverValue(chunk.value));
  } else if (!isName(chunk)) parts.values.push(chunk);
  return parts;
}

const isName = (chunk: unknown) =>
  chunk === undefined || chunk instanceof Column || chunk instanceof Table || chunk instanceof Name;

/**
 * Keeps the value of a parameter from the planner. If its value would make a statement look cheaper, PostgreSQL would
 * plan a prepared one anew at every call, to make use of it.
 */
export const unplanned = (parameter: SQL): SQL => sql`(select ${parameter})`;

/**
 * A condition, always true, for statements whose changes a crash of PostgreSQL may undo: the commit does not wait for
 * the disk. The changes are as atomic and visible as any other, and reach the disk before anything that is committed
 * later.
 */
export const commitLater = sql`set_config('synchronous_commit', 'off', true) = 'off'`;

/**
 * SQLSTATE classes and codes of a server that is unreachable or shutting down; errors of a query are not among them.
 */
const UNAVAILABLE = /^(08|57P0|53|25006)/;
const READ_ONLY =
  'is read-only; after a failover DATABASE_URL has to lead to the primary (see docs/operator/deployment.md)';
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Texts in messages of `pg` that have no code. */
const CONNECTION_LOST = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
];

/** SQLSTATE of a serialization failure and of a deadlock. */
const CONFLICTS = new Set<unknown>(['40001', '40P01']);

/**
 * Whether an error, or its cause, means that PostgreSQL has undone the whole transaction so that another one could go
 * on. Nothing is wrong with it: it can be repeated.
 */
export function isConflict(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (CONFLICTS.has((e as { code?: unknown }).code)) return true;
  }
  return false;
}

/** Whether an error, or its cause, means that the database cannot be reached now. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code, syscall } = e as { code?: unknown; syscall?: unknown };
    // A missing file concerns the database only if it is a socket.
    if (code === 'ENOENT' && syscall === 'connect') return true;
    if (typeof code === 'string' && (UNAVAILABLE.test(code) || SOCKET_ERRORS.has(code))) return true;
    if (CONNECTION_LOST.some((text) => e.message.includes(text))) return true;
    if (e instanceof AggregateError && e.errors.some(isDatabaseUnavailable)) return true;
  }
  return false;
}

/** The meaning of an error of `isDatabaseUnavailable`, as words that follow "the database". */
export function unavailableWords(error: unknown): string {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as { code?: unknown };
    if (code === '25006') return READ_ONLY;
    if (code === '53100' || code === '53400') return 'has no room left on its disk; make room';
    if (code === '53300') return 'has no connection left; raise max_connections, or run fewer processes';
  }
  return 'cannot be reached';
}
