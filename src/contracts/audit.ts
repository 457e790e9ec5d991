import { type Static, Type } from 'typebox';
import { Timestamp } from './envelope.ts';
import { JobId, UUID_PATTERN } from './jobs.ts';
import { nullable } from './nullable.ts';

export const AUDIT_PREFIX = 'aud';

/** The caller of an audited request while authentication is off. */
export const ANONYMOUS = 'anonymous';

/** One request that may have changed something. */
export const AuditEntry = Type.Object(
  {
    audit_id: Type.String({ pattern: `^${AUDIT_PREFIX}_${UUID_PATTERN}$` }),
    at: { ...Timestamp, description: 'when the service began to carry it out' },
    actor: Type.String({
      description:
        'owner of the API key, or subject of the token; `anonymous` without authentication, `command line` for ' +
        '`npm run keys`',
    }),
    key_id: nullable(Type.String(), 'id of the API key; null without one'),
    address: nullable(Type.String(), 'where the request came from; null for `npm run keys`'),
    operation: Type.String({
      description: '`operationId` of the OpenAPI document, or `create_key`, `revoke_key`',
    }),
    method: nullable(Type.String(), 'null for `npm run keys`, as is `path`'),
    path: nullable(Type.String(), 'without the query'),
    resource_id: nullable(Type.String(), 'what it was about: the last id in the path, or what it made'),
    job_id: nullable(JobId, 'the job that it made'),
    request_id: nullable(Type.String(), 'null for `npm run keys`'),
    http_status: nullable(
      Type.Integer(),
      'of its answer; null until then, and for ever if the process was killed meanwhile',
    ),
  },
  { $id: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;
