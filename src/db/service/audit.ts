import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { commitLater, type Queryable } from '../client.ts';
import { auditLog } from '../schema.ts';

/** A request that is about to be carried out. */
export type NewAuditEntry = {
  auditId: string;
  actor: string;
  keyId: string | null;
  address: string | null;
  operation: string;
  method: string | null;
  path: string | null;
  resourceId: string | null;
  requestId: string | null;
};

/** The values that are known once it has been answered. */
export type AuditEnd = {
  auditId: string;
  httpStatus: number;
  jobId: string | null;
  resourceId: string | null;
};

/** One array per column, for `unnest`. */
const column = <Row>(rows: readonly Row[], key: keyof Row) => sql.param(rows.map((row) => row[key]));

/**
 * Notes requests before they are carried out. The commit does not wait for the disk: the rows reach it before anything
 * that these requests commit, so no change is kept without its row.
 * @param waits true: it waits, as it has to in a transaction with other changes
 */
export async function insertAuditEntries(
  db: Queryable,
  entries: readonly NewAuditEntry[],
  waits = false,
): Promise<void> {
  await db.execute(sql`
    insert into ${auditLog} (audit_id, actor, key_id, address, operation, method, path, resource_id, request_id)
    select * from unnest(${column(entries, 'auditId')}::text[], ${column(entries, 'actor')}::text[],
      ${column(entries, 'keyId')}::text[], ${column(entries, 'address')}::text[],
      ${column(entries, 'operation')}::text[], ${column(entries, 'method')}::text[],
      ${column(entries, 'path')}::text[], ${column(entries, 'resourceId')}::text[],
      ${column(entries, 'requestId')}::text[])
    where ${waits ? sql`true` : commitLater}`);
}

/** Notes how requests were answered. */
export async function endAuditEntries(db: Queryable, ends: readonly AuditEnd[]): Promise<void> {
  await db.execute(sql`
    update ${auditLog} a
    set http_status = e.http_status, job_id = e.job_id, resource_id = coalesce(e.resource_id, a.resource_id)
    from unnest(${column(ends, 'auditId')}::text[], ${column(ends, 'httpStatus')}::int[],
      ${column(ends, 'jobId')}::text[], ${column(ends, 'resourceId')}::text[]) e(audit_id, http_status, job_id, resource_id)
    where a.audit_id = e.audit_id and ${commitLater}`);
}

export type AuditFilter = {
  after?: string | undefined;
  before?: string | undefined;
  actor?: string | undefined;
  operation?: string | undefined;
};

/** Audited requests, newest first; `last` as `before` in `readJobPage`. */
export async function readAuditPage(
  db: Queryable,
  { after, before, actor, operation }: AuditFilter,
  last: [at: string, auditId: string] | null,
  limit: number,
) {
  const { at, auditId } = auditLog;
  return db
    .select()
    .from(auditLog)
    .where(
      and(
        after === undefined ? undefined : gte(at, sql`${after}::timestamptz`),
        before === undefined ? undefined : lt(at, sql`${before}::timestamptz`),
        actor === undefined ? undefined : eq(auditLog.actor, actor),
        operation === undefined ? undefined : eq(auditLog.operation, operation),
        last ? sql`(${at}, ${auditId}) < (${last[0]}::timestamptz, ${last[1]})` : undefined,
      ),
    )
    .orderBy(desc(at), desc(auditId))
    .limit(limit);
}
