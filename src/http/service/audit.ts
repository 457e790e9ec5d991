import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { isAudited } from '../../config.ts';
import { ANONYMOUS, AUDIT_PREFIX } from '../../contracts/audit.ts';
import { type AuditEnd, endAuditEntries, insertAuditEntries } from '../../db/service/audit.ts';
import type { App, Deps } from '../deps.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface FastifyRequest {
    /** null: the request is not audited */
    audited: Omit<AuditEnd, 'httpStatus'> | null;
  }
}

const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Operations that only compute: they have a body, and change nothing. */
const COMPUTING = new Set(['forecast_demand', 'score_risk']);

/** Notes at an audited request what it made. */
export function noteMade(
  request: FastifyRequest,
  made: Partial<Pick<AuditEnd, 'jobId' | 'resourceId'>>,
): void {
  if (request.audited) Object.assign(request.audited, made);
}

/**
 * Notes who changes what (setting AUDIT): a row before an operation is carried out, and its status once it is answered.
 * If the row cannot be stored, the operation is refused. Requests that are refused before, for lack of a role or for
 * their body, are not noted.
 */
export function auditRequests(
  app: App,
  { config, database, logger }: Pick<Deps, 'config' | 'database' | 'logger'>,
) {
  app.decorateRequest('audited', null);
  if (!isAudited(config)) return;
  const { db } = database;
  const begin = openBatches((entries: Parameters<typeof insertAuditEntries>[1]) =>
    insertAuditEntries(db, entries),
  );
  const end = openBatches((ends: readonly AuditEnd[]) => endAuditEntries(db, ends));
  const ending = new Set<Promise<void>>();

  app.addHook('preHandler', async (request) => {
    const { method, identity, ip } = request;
    const { operationId } = (request.routeOptions.schema ?? {}) as { operationId?: string };
    if (operationId === undefined || !CHANGING.has(method) || COMPUTING.has(operationId)) return;
    const ids = Object.values((request.params ?? {}) as Record<string, unknown>);
    const entry = {
      auditId: `${AUDIT_PREFIX}_${uuidv7()}`,
      actor: identity.owner ?? ANONYMOUS,
      keyId: identity.keyId,
      // Despite its type the address is undefined once the caller has disconnected.
      address: (ip as string | undefined) ?? null,
      operation: operationId,
      method,
      path: request.url.split('?')[0],
      resourceId: ids.length > 0 ? String(ids.at(-1)) : null,
      requestId: request.id,
    };
    await begin(entry);
    request.audited = { auditId: entry.auditId, jobId: null, resourceId: null };
  });
  // Not when the answer has arrived: its caller may have hung up, and what was asked for is done all the same.
  app.addHook('onSend', async ({ audited }, reply) => {
    if (!audited) return;
    const { auditId, jobId, resourceId } = audited;
    const ended = end({ auditId, jobId, resourceId, httpStatus: reply.statusCode })
      .catch((err) => logger.error({ err, audit_id: auditId }, 'status of an audited request not stored'))
      .finally(() => ending.delete(ended));
    ending.add(ended);
  });
  app.addHook('onClose', async () => {
    await Promise.all(ending);
  });
}

/** Entries of one statement. */
const MAX_BATCH = 500;

/**
 * Writes items in batches: those that come while a batch is being written make the next one. Alone, an item is written
 * at once.
 * @returns adds an item; resolves when it is written, and fails if its batch could not be
 */
function openBatches<T>(write: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let waiting: { item: T; done: PromiseWithResolvers<void> }[] = [];
  let isWriting = false;
  const writeAll = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      await write(batch.map(({ item }) => item)).then(
        () => batch.forEach(({ done }) => void done.resolve()),
        (error) => batch.forEach(({ done }) => void done.reject(error)),
      );
    }
    isWriting = false;
  };
  return (item) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ item, done });
    if (!isWriting) void writeAll();
    return done.promise;
  };
}
