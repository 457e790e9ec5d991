import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { AuditEntry } from '../../contracts/audit.ts';
import { STORABLE_TEXT } from '../../contracts/vehicles.ts';
import { readAuditPage } from '../../db/service/audit.ts';
import type { Deps } from '../deps.ts';
import { decodeCursor } from '../lists/cursor.ts';
import {
  CREATED_QUERY,
  checkPeriod,
  cutPage,
  DEFAULT_LIMIT,
  isNewestFirstKey,
  NextCursor,
  PAGE_QUERY,
} from '../lists/paging.ts';
import { answers, errors } from '../responses.ts';

const text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: STORABLE_TEXT, description }));
const Query = Type.Object(
  {
    actor: text('only requests of this actor'),
    operation: text('only requests for this operation, by its `operationId`'),
    ...CREATED_QUERY,
    ...PAGE_QUERY,
  },
  { additionalProperties: false },
);
const AuditList = Type.Object(
  { entries: Type.Array(AuditEntry), next_cursor: NextCursor },
  { $id: 'AuditList' },
);

/** `/api/v1/audit`: who changed what. */
export function auditRoutes({ database }: Deps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/audit',
      {
        schema: {
          operationId: 'list_audit_entries',
          tags: ['service'],
          summary: 'Requests that may have changed something, newest first',
          description: 'Noted with the setting AUDIT.',
          querystring: Query,
          response: { 200: answers('a page of requests', AuditList), ...errors(400, 503) },
        },
      },
      async (request) => {
        const {
          limit = DEFAULT_LIMIT,
          cursor,
          actor,
          operation,
          created_after,
          created_before,
        } = request.query;
        checkPeriod(request.query, 'created_after', 'created_before');
        const last = cursor === undefined ? null : decodeCursor(cursor, isNewestFirstKey);
        const filter = { after: created_after, before: created_before, actor, operation };
        const rows = await readAuditPage(database.db, filter, last, limit + 1);
        const { items, next_cursor } = cutPage(rows, limit, (row) => [row.at, row.auditId]);
        return success(request.id, { entries: items.map(auditEntryOnWire), next_cursor });
      },
    );
  };
}

function auditEntryOnWire(entry: Awaited<ReturnType<typeof readAuditPage>>[number]): AuditEntry {
  return {
    audit_id: entry.auditId,
    at: entry.at.toISOString(),
    actor: entry.actor,
    key_id: entry.keyId,
    address: entry.address,
    operation: entry.operation,
    method: entry.method,
    path: entry.path,
    resource_id: entry.resourceId,
    job_id: entry.jobId,
    request_id: entry.requestId,
    http_status: entry.httpStatus,
  };
}
