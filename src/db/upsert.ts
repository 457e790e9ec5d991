import type { PackedRows } from './packed-rows.ts';

/** A table that is written by bulk upserts. Names come from the code, never from a caller. */
export type UpsertTarget = {
  table: string;
  key: readonly string[];
  /** the other columns */
  values: readonly string[];
  /** columns that keep the stored value if the new row has none (null) */
  keepWhereNull?: readonly string[];
  /** columns that are never null: a stored value is kept, and a new row gets this SQL expression */
  defaults?: Readonly<Record<string, string>>;
};

/** Rows that were not there before, and rows that were. */
export type Counts = { created: number; updated: number };

/**
 * The text of an upsert, before and after the source of its rows; the source has columns of the target's names.
 * It answers one row with the number of rows `created`. Rows that are stored already as they come are left alone,
 * so that sending the same data again writes nothing.
 */
export function upsertText(target: UpsertTarget): [string, string] {
  const { table, key, values, keepWhereNull = [], defaults = {} } = target;
  const columns = [...key, ...values].join(', ');
  const next = values.map((column) =>
    keepWhereNull.includes(column)
      ? `coalesce(excluded.${column}, ${table}.${column})`
      : `excluded.${column}`,
  );
  const sameKey = key.map((column) => `stored.${column} = incoming.${column}`).join(' and ');
  const incoming = [...key, ...values].map((column) => {
    const stored = `(select stored.${column} from ${table} stored where ${sameKey})`;
    return column in defaults
      ? `coalesce(incoming.${column}, ${stored}, ${defaults[column]})`
      : `incoming.${column}`;
  });
  const before = `with written as (insert into ${table} (${columns}) select ${incoming.join(', ')} from (select * from `;
  // xmax is 0 in a row version that was inserted and never locked; ON CONFLICT locks the row before it updates it.
  const after = `) incoming on conflict (${key.join(', ')}) do update
    set ${values.map((column, i) => `${column} = ${next[i]}`).join(', ')}
    where (${values.map((column) => `${table}.${column}`).join(', ')}) is distinct from (${next.join(', ')})
    returning xmax = 0 as created)
    select count(*) filter (where created)::int as created from written`;
  return [before, after];
}

/**
 * Upserts rows chunk by chunk; to be called in one transaction.
 * @param upsertChunk one statement; gets an array per column, returns how many of its rows were created
 */
export async function upsertInOrder(
  { rowCount, chunks }: PackedRows,
  upsertChunk: (columns: string[]) => Promise<number>,
): Promise<Counts> {
  let created = 0;
  for (const columns of chunks) created += await upsertChunk(columns);
  return { created, updated: rowCount - created };
}
