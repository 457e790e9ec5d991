import type { SwaggerTransform, SwaggerTransformObject } from '@fastify/swagger';
import { LOCATION_OR_DEFAULT_KEY } from '../../contracts/bounds.ts';
import { ErrorEnvelope } from '../../contracts/envelope.ts';
import { DecisionAnswer, JobResult } from '../../contracts/job-result.ts';
import type { Access } from '../auth/access.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE } from '../bodies/receive-body.ts';
import {
  commonErrors,
  type ErrorStatus,
  errors,
  guardErrors,
  RESPONSE_DESCRIPTION,
  responseHeaders,
} from '../responses.ts';
import { answerExample, errorExample, PARAMETER_EXAMPLES } from './answer-examples.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema of every shape
type Schema = Record<string, any>;

const COMPONENTS = '#/components/schemas/';

/** Keywords whose value is a schema, a list of schemas, schemas by name. */
const ONE = ['items', 'additionalProperties', 'propertyNames', 'not'];
const LIST = ['anyOf', 'oneOf', 'allOf'];
const BY_NAME = ['properties', 'patternProperties'];

export type DocumentOptions = {
  /** callers have to prove who they are: the document says how, and what each operation needs */
  isGuarded: boolean;
  /** callers may send so many requests */
  isLimited: boolean;
};

/**
 * Turns the schemas of the routes into the OpenAPI document. Schemas with an `$id` become components of that name;
 * bodies and answers refer to them. Constructs that client generators interpret differently from the service are
 * rewritten.
 */
export function documentRoutes({ isGuarded, isLimited }: DocumentOptions): {
  transform: SwaggerTransform;
  transformObject: SwaggerTransformObject;
} {
  const components = new Map<string, Schema>();
  /** Operations as the routes describe them, by operationId: the plugin drops fields next to a reference. */
  const operations = new Map<string, Schema>();

  /** A schema for the document, with references in place of named schemas. */
  function toDocument(schema: Schema): Schema {
    const { $id: name, ...rest } = schema;
    const shown = describeShape(rest);
    if (name === undefined) return shown;
    // Only the description may differ from the component: `{ ...Accuracy, description: "…" }`.
    const { description, ...shape } = shown;
    const known = components.get(name);
    if (!known) components.set(name, shown);
    else if (JSON.stringify({ ...known, description: undefined }) !== JSON.stringify(shape)) {
      throw new Error(`two different schemas are named ${name}`);
    }
    const isOwn = description === components.get(name)?.description;
    return { $ref: COMPONENTS + name, ...(!isOwn && { description }) };
  }

  function describeShape({ default: fallback, ...schema }: Schema): Schema {
    const shown = { ...schema };
    for (const key of ONE) if (isSchema(schema[key])) shown[key] = toDocument(schema[key]);
    for (const key of LIST) if (schema[key]) shown[key] = schema[key].map(toDocument);
    for (const key of BY_NAME) if (schema[key]) shown[key] = mapValues(schema[key], toDocument);
    if (typeof schema.$ref === 'string') shown.$ref = COMPONENTS + schema.$ref;
    if (shown.anyOf?.every(({ type }: Schema) => type === 'string')) return oneText(shown);
    // Java's make a class of the one word of a boolean, and fill it with texts.
    if (schema.type === 'boolean') delete shown.const;
    if (schema.enum && !schema.type) shown.type = typeof schema.enum[0] === 'number' ? 'integer' : 'string';
    // Generators require a field that has a `default`. The service fills in no defaults before it checks a body.
    if (fallback !== undefined && !schema.description?.includes('default')) {
      const text = `default: \`${JSON.stringify(fallback)}\``;
      shown.description = schema.description ? `${schema.description}; ${text}` : text;
    }
    return namedByPattern(shown);
  }

  /** Examples belong to the place where a schema is used, not to the schema. */
  function documentBody(body: Schema): Schema {
    const { [JSON_TYPE]: json, ...others } = contentOf(body);
    // A merge patch is accepted as plain JSON too. Given one shape under two types, some generators write it twice.
    const content = others[MERGE_PATCH_TYPE] ? others : { ...(json && { [JSON_TYPE]: json }), ...others };
    return mapValues(content, ({ schema: { examples, ...schema } }) => ({
      schema: toDocument(schema),
      example: examples?.[0],
    }));
  }

  function documentAnswer(operationId: string, status: string, answer: Schema): Schema {
    const { [RESPONSE_DESCRIPTION]: description, ...schema } = answer;
    const isError = schema.$id === (ErrorEnvelope as Schema).$id;
    return {
      description: description ?? schema.description,
      headers: mapValues(responseHeaders(Number(status), answer.headers), documentHeader),
      content: mapValues(contentOf(schema), ({ schema, example }, type) => {
        const own = isError
          ? errorExample(Number(status) as ErrorStatus)
          : answerExample(operationId, status);
        return { schema: toDocument(schema), example: type === JSON_TYPE ? own : example };
      }),
    };
  }

  function documentParameters(parameters: Schema): Schema {
    const { properties, ...rest } = parameters;
    const shown = mapValues(properties ?? {}, (schema, name) => {
      const example = PARAMETER_EXAMPLES[name];
      return { ...toDocument(schema), ...(example !== undefined && { examples: [example] }) };
    });
    return { ...rest, properties: shown };
  }

  return {
    transform: ({ schema, url, route }) => {
      if (!schema || schema.hide) return { schema, url };
      const { body, response, querystring, params, headers, operationId, ...rest } = schema as Schema;
      const access = isGuarded ? route.config?.access : undefined;
      const answers = {
        ...response,
        ...commonErrors(body !== undefined),
        ...(access && access !== 'public' && guardErrors()),
        ...(isLimited && route.config?.access !== 'public' && errors(429)),
      };
      operations.set(operationId, {
        ...(access && { security: documentAccess(access) }),
        ...(body && { requestBody: { required: true, content: documentBody(body) } }),
        responses: mapValues(answers, (answer, status) => documentAnswer(operationId, status, answer)),
      });
      const shown = {
        ...rest,
        operationId,
        ...(querystring && { querystring: documentParameters(querystring) }),
        ...(params && { params: documentParameters(params) }),
        ...(headers && { headers: documentParameters(headers) }),
      };
      return { schema: shown, url };
    },
    transformObject: (document) => {
      const { paths, components: _, ...rest } = (document as { openapiObject: Schema }).openapiObject;
      for (const named of [JobResult, DecisionAnswer]) toDocument(named);
      const schemas = Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
      const whole = (operation: Schema) => ({ ...operation, ...operations.get(operation.operationId) });
      return {
        ...rest,
        paths: mapValues(paths, (methods) => mapValues(methods, whole)),
        components: { schemas, ...(isGuarded && { securitySchemes: SECURITY_SCHEMES }) },
      };
    },
  };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'an API key or a JSON Web Token' },
  api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'an API key' },
};

/** The credentials for an operation: one of the schemes, with this role or one above it. */
function documentAccess(access: Access) {
  return access === 'public' ? [] : Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [access] }));
}

/**
 * A map whose keys fit one pattern, in the form that generators understand: any key, with a named schema. A word that
 * is a key is a field of its own: an object with a field is a class, while Java's cannot have a plain map in a union.
 */
function namedByPattern({ patternProperties, ...schema }: Schema): Schema {
  if (!patternProperties) return schema;
  const [[pattern, value]] = Object.entries<Schema>(patternProperties);
  const isAnyName = pattern === '^.*$';
  return {
    ...schema,
    ...(pattern === LOCATION_OR_DEFAULT_KEY && { properties: { default: value } }),
    additionalProperties: value,
    ...(!isAnyName && { propertyNames: { pattern } }),
  };
}

/** A union of texts as one, whose format tells them: Java's make a class of it that names another, which is missing. */
function oneText({ anyOf, ...schema }: Schema): Schema {
  const format = anyOf.map(({ format, enum: words }: Schema) => format ?? words.join('-or-')).join('-or-');
  return { ...schema, type: 'string', format };
}

function documentHeader({ description, ...schema }: Schema): Schema {
  return { description, schema };
}

function contentOf({ content, headers: _, ...schema }: Schema): Record<string, Schema> {
  return content ?? { [JSON_TYPE]: { schema } };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

function mapValues<T>(
  record: Record<string, Schema>,
  map: (value: Schema, key: string) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
