import { type Static, type TSchema, Type } from 'typebox';
import { ERROR_CODES } from './errors.ts';
import { ErrorRelaxation } from './sufficient-change.ts';

/** Version of the service and of its documents (semantic versioning, `metadata.version`). */
export const SERVICE_VERSION = '0.1.0';

export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC' });

export const Metadata = Type.Object(
  {
    timestamp: Timestamp,
    version: Type.String({ description: 'version of the service' }),
    request_id: Type.String({
      description: 'id of the request, also in logs, jobs and the X-Request-Id header',
    }),
  },
  { $id: 'Metadata' },
);
export type Metadata = Static<typeof Metadata>;

export const ErrorItem = Type.Object(
  {
    code: Type.Enum(ERROR_CODES),
    message: Type.String({ description: 'the value, the limit and what to do' }),
    field: Type.Union([Type.String(), Type.Null()], {
      description: 'path in the body, e.g. `fleet_state.vehicles[3].capacity`',
    }),
    detail: Type.Union([Type.String(), Type.Null()]),
    relaxation: Type.Optional(ErrorRelaxation),
  },
  { $id: 'ErrorItem' },
);
export type ErrorItem = Static<typeof ErrorItem>;

export const ErrorEnvelope = Type.Object(
  {
    status: Type.Literal('error'),
    // Generators of Go know no type `null` on its own.
    data: Type.Unsafe<null>({ const: null }),
    errors: Type.Array(ErrorItem),
    metadata: Metadata,
  },
  { $id: 'ErrorEnvelope' },
);
export type ErrorEnvelope = Static<typeof ErrorEnvelope>;

/**
 * The success envelope around `data`. Its name follows that of the data: `Health` is answered in a `HealthEnvelope`.
 */
export function Envelope<D extends TSchema>(data: D) {
  const { $id } = data as { $id?: string };
  return Type.Object(
    { status: Type.Literal('success'), data, metadata: Metadata },
    $id === undefined ? {} : { $id: `${$id}Envelope` },
  );
}
