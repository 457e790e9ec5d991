import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Document, DocumentedOperation } from './operations.ts';
import type { FuzzedRequest } from './requests.ts';
import type { WireAnswer } from './send.ts';

/** Lists the faults of an answer; empty if there are none. */
export type Judge = (request: FuzzedRequest, answer: WireAnswer) => string[];

/** Statuses that any request may get, for any operation. */
const ALWAYS_ALLOWED = new Set([404, 405]);

/** Text that may appear only in the log: stacks, SQL, files of the service. */
const INTERNALS = /\bat .+\(.+:\d+:\d+\)|node_modules|\/src\/|\b(select|insert|update) .+ (from|into|set) /i;

/** Judges answers by the service's OpenAPI document, and by the promises of its documentation for every answer. */
export function createJudge(document: Document): Judge {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema({ $id: 'openapi', ...document });
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  const validatorOf = (operation: DocumentedOperation, status: number, type: string, schema: Document) => {
    const key = `${operation.name} ${status} ${type}`;
    const validator = compiled.get(key) ?? ajv.compile(rebase(schema));
    compiled.set(key, validator);
    return validator;
  };

  return (request, answer) => {
    const { operation, isOtherMethod, method } = request;
    const { status, headers, text } = answer;
    const faults: string[] = [];
    if (status >= 500 && status !== 503) faults.push(`status ${status}`);
    if (headers['x-request-id'] === undefined) faults.push('no X-Request-Id');
    if (method === 'HEAD' || headers['content-encoding'] !== undefined) return faults;
    const type = headers['content-type']?.split(';')[0] ?? '';
    if (!type.includes('json')) {
      if (status >= 400) faults.push(`an error of type "${type}"`);
      return faults;
    }
    const body = parse(text);
    if (body === undefined) return [...faults, 'no valid JSON'];
    if (status >= 400) faults.push(...errorFaults(body, text));
    if (isOtherMethod) return faults;
    const documented = operation.answers.get(status);
    if (!documented) {
      if (!ALWAYS_ALLOWED.has(status)) faults.push(`status ${status} is not in the document`);
      return faults;
    }
    const schema = documented.get(type);
    if (!schema) return [...faults, `type ${type} of status ${status} is not in the document`];
    const validator = validatorOf(operation, status, type, schema);
    if (!validator(body)) {
      const error = validator.errors?.[0];
      faults.push(`does not fit the document: ${error?.instancePath} ${error?.message}`);
    }
    return faults;
  };
}

function errorFaults(body: Document, text: string): string[] {
  const { status, data, errors, metadata } = body ?? {};
  const isEnvelope =
    status === 'error' && data === null && Array.isArray(errors) && errors.length > 0 && metadata?.request_id;
  if (!isEnvelope) return ['an error without the envelope'];
  if (errors.length > 100) return [`${errors.length} errors; 100 are promised at most`];
  const bare = errors.find((error: Document) =>
    ['code', 'message', 'field', 'detail'].some((key) => error[key] === undefined),
  );
  if (bare) return [`an error without all of its keys: ${JSON.stringify(bare)}`];
  return INTERNALS.test(text) ? ['internals in an error'] : [];
}

/** Rewrites references of the document so that the validator of a part can resolve them. */
function rebase(schema: Document): Document {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'));
}

function parse(text: string): Document | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
