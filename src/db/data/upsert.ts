import type { PackedRows } from './packed-rows.ts';

/** A table that is written by bulk upserts. The names come from the code, never from a caller. */
export type UpsertTarget = {
  table: string;
  key: readonly string[];
  /** the other columns */
  values: readonly string[];
  /** columns that keep the stored value if the new row has null */
  keepWhereNull?: readonly string[];
  /** columns that are never null: without a new value the stored one stays, and a new row gets this SQL expression */
  defaults?: Readonly<Record<string, string>>;
};

/** How many rows were new, and how many were stored before. */
export type Counts = { created: number; updated: number };

/**
 * The text of an upsert, before and after the source of its rows. The source has columns with the target's names. The
 * statement returns one row with the number of rows `created`. Rows that are already stored unchanged are not written,
 * so sending the same data again writes nothing.
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
  const before = `with written as (
    insert into ${table} (${columns}) select ${incoming.join(', ')} from (select * from `;
  // xmax is 0 in a row version that was inserted and never locked; ON CONFLICT locks the row before it updates it.
  const after = `) incoming on conflict (${key.join(', ')}) do update
    set ${values.map((column, i) => `${column} = ${next[i]}`).join(', ')}
    where (${values.map((column) => `${table}.${column}`).join(', ')}) is distinct from (${next.join(', ')})
    returning xmax = 0 as created)
    select count(*) filter (where created)::int as created from written`;
  return [before, after];
}

/**
 * Upserts rows chunk by chunk. Call it in one transaction.
 * @param upsertChunk one statement; takes an array per column, returns how many of its rows were created
 */
export async function upsertInOrder(
  { rowCount, chunks }: PackedRows,
  upsertChunk: (columns: string[]) => Promise<number>,
): Promise<Counts> {
  let created = 0;
  for (const columns of chunks) created += await upsertChunk(columns);
  return { created, updated: rowCount - created };
}
