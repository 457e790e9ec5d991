import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../client.ts';
import { ownedBy, ownerOf } from '../owner.ts';
import { replays } from '../schema.ts';

/** A replay that has ended; `summary` and `data` are JSON text. */
export type NewReplay = { replayId: string; requestId: string; summary: string; data: string };

/** The part of a statement that stores a replay, if `held` has a row. */
export function insertReplay({ replayId, requestId, summary, data }: NewReplay): SQL {
  return sql`
    stored_replay as (
      insert into ${replays} (replay_id, request_id, summary, data, owner)
      select ${replayId}, ${requestId}, ${summary}::json, ${data}::json, ${ownerOf(replayId)} from held returning 1)`;
}

/** The figures of a replay as JSON text, or undefined. @param owner as in `readJob` */
export async function readReplay(
  db: Queryable,
  replayId: string,
  owner?: string,
): Promise<string | undefined> {
  const [row] = await db
    .select({ data: sql<string>`${replays.data}::text` })
    .from(replays)
    .where(and(eq(replays.replayId, replayId), ownedBy(replays.owner, owner)));
  return row?.data;
}

/** Summaries of replays as JSON text, newest first; `before` as in `readJobPage`, `owner` as in `readJob`. */
export async function readReplayPage(
  db: Queryable,
  before: [createdAt: string, replayId: string] | null,
  limit: number,
  owner?: string,
): Promise<{ replayId: string; createdAt: string; summary: string }[]> {
  const rows = await db
    .select({
      replayId: replays.replayId,
      createdAt: replays.createdAt,
      summary: sql<string>`${replays.summary}::text`,
    })
    .from(replays)
    .where(
      and(
        ownedBy(replays.owner, owner),
        before
          ? sql`(${replays.createdAt}, ${replays.replayId}) < (${before[0]}::timestamptz, ${before[1]})`
          : undefined,
      ),
    )
    .orderBy(desc(replays.createdAt), desc(replays.replayId))
    .limit(limit);
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}
