import type { TSchema } from 'typebox';
import type { Fault } from '../../answers/errors.ts';
import { readDecimalNumber, readWholeNumber } from '../../contracts/number-text.ts';

type Parameter = TSchema & { type?: string };

/**
 * Converts the parameters of a query or path, which are text, to the types of their schema. A text that does not denote
 * a value of its type stays text, so the schema then reports it. Nothing else is coerced. If a parameter is repeated,
 * the first one is read; `findRepeated` reports it.
 * @param schema of an object; its properties are texts, enums, numbers or booleans
 */
export function readParameters(schema: TSchema, texts: unknown): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, Parameter> };
  return Object.fromEntries(
    Object.entries(texts as Record<string, string | string[]>).map(([name, given]) => {
      const text = Array.isArray(given) ? given[0] : given;
      return [name, Object.hasOwn(properties, name) ? read(text, properties[name]) : text];
    }),
  );
}

/** Parameters that are repeated: it would be a guess which of them counts. */
export function findRepeated(texts: unknown): Fault[] {
  return Object.entries(texts as Record<string, unknown>)
    .filter(([, value]) => Array.isArray(value))
    .map(([name, values]) => ({
      field: name,
      message: `${name} is given ${(values as unknown[]).length} times; give it once`,
    }));
}

function read(text: string, { type }: Parameter): unknown {
  switch (type) {
    case 'integer':
      return readWholeNumber(text) ?? text;
    case 'number':
      return readDecimalNumber(text) ?? text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}
