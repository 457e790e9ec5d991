/** A table that is written by bulk upserts. Names come from the code, never from a caller. */
export type UpsertTarget = {
  table: string;
  key: readonly string[];
  /** the other columns */
  values: readonly string[];
  /** columns that keep what is stored where the new row says nothing (null) */
  keepWhereNull?: readonly string[];
};

/** Rows that were not there before, and rows that were. */
export type Counts = { created: number; updated: number };

/**
 * The text of an upsert, before and after the source of its rows; the source has columns of the target's names.
 * It answers one row with the number of rows `created`. Rows that are stored already as they come are left alone,
 * so that sending the same data again writes nothing.
 */
export function upsertText({ table, key, values, keepWhereNull = [] }: UpsertTarget): [string, string] {
  const columns = [...key, ...values].join(', ');
  const next = values.map((column) =>
    keepWhereNull.includes(column)
      ? `coalesce(excluded.${column}, ${table}.${column})`
      : `excluded.${column}`,
  );
  const before = `with written as (insert into ${table} (${columns}) select ${columns} from `;
  // xmax is 0 in a row version that was inserted and never locked; ON CONFLICT locks the row before it updates it.
  const after = ` on conflict (${key.join(', ')}) do update
    set ${values.map((column, i) => `${column} = ${next[i]}`).join(', ')}
    where (${values.map((column) => `${table}.${column}`).join(', ')}) is distinct from (${next.join(', ')})
    returning xmax = 0 as created)
    select count(*) filter (where created)::int as created from written`;
  return [before, after];
}

/** Rows that one statement of a bulk upsert takes: bounded memory, and the event loop gets its turn in between. */
const ROWS_PER_STATEMENT = 20_000;

/**
 * Upserts rows chunk by chunk; to be called in one transaction.
 * @param compare total order of the keys: transactions that write the same rows lock them in the same order, so
 *   that they wait for each other instead of deadlocking
 * @param upsertChunk one statement; returns how many of its rows were created
 */
export async function upsertInOrder<R>(
  rows: readonly R[],
  compare: (a: R, b: R) => number,
  upsertChunk: (chunk: R[]) => Promise<number>,
): Promise<Counts> {
  const sorted = rows.toSorted(compare);
  let created = 0;
  for (let start = 0; start < sorted.length; start += ROWS_PER_STATEMENT) {
    created += await upsertChunk(sorted.slice(start, start + ROWS_PER_STATEMENT));
  }
  return { created, updated: rows.length - created };
}
