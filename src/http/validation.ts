import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Format from 'typebox/format';
import { Settings } from 'typebox/system';
import { Convert } from 'typebox/value';
import { MAX_REPORTED_ERRORS } from '../contracts/errors.ts';
import { isTimeZone } from '../contracts/time-zone.ts';
import { AppError, type Fault } from '../errors.ts';
import { CSV_TYPE } from './bodies.ts';
import { describeFaults } from './faults.ts';

// A fault may take several schema errors (each branch of a union); the reported list is cut later.
Settings.Set({ maxErrors: MAX_REPORTED_ERRORS * 8 });

Format.Set('time-zone', isTimeZone);

/**
 * Fastify's validator: TypeBox compiled once per schema. Query strings and path parameters are text and are
 * converted first; bodies are taken as they are, nothing is coerced, defaulted or dropped. A CSV body is checked row by
 * row by whoever reads it (`store-csv.ts`).
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, contentType }) => {
  if (contentType === CSV_TYPE) return (value: unknown) => ({ value });
  const validator = Compile(schema);
  const isText = httpPart === 'querystring' || httpPart === 'params';
  return (input: unknown) => {
    const value = isText ? Convert(schema, input) : input;
    if (validator.Check(value)) return { value };
    return { error: validationError(schema, validator.Errors(value), value) };
  };
};

function validationError(
  schema: TSchema,
  errors: Parameters<typeof describeFaults>[1],
  value: unknown,
): AppError {
  const faults: Fault[] = describeFaults(schema, errors, value);
  return new AppError('VALIDATION_ERROR', faults.slice(0, MAX_REPORTED_ERRORS));
}
