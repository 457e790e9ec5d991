import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { AppError } from '../../answers/errors.ts';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import { findFaults } from './faults.ts';
import { fits } from './fits.ts';
import { ReceivedBody } from './intake.ts';
import { findRepeated, readParameters } from './query-text.ts';
import { CSV_TYPE } from './receive-body.ts';

/**
 * Fastify's validator. Query strings and path parameters are text and are converted first (`query-text.ts`). A JSON
 * body was checked when it was read (`read-body.ts`). A CSV body is checked row by row (`store-csv.ts`). Nothing else
 * is coerced, defaulted or dropped.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, contentType }) => {
  if (contentType === CSV_TYPE) return (value: unknown) => ({ value });
  const isText = httpPart === 'querystring' || httpPart === 'params';
  return (input: unknown) => {
    if (input instanceof ReceivedBody) return input.error ? { error: input.error } : { value: input };
    const value = isText ? readParameters(schema, input) : input;
    const repeated = isText ? findRepeated(input) : [];
    if (repeated.length === 0 && fits(schema, value)) return { value };
    const faults = [...repeated, ...findFaults(schema, value)].slice(0, MAX_REPORTED_ERRORS);
    return { error: new AppError('VALIDATION_ERROR', faults) };
  };
};
