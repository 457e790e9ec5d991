import type { TSchema } from 'typebox';
import type { Fault } from '../answers/errors.ts';
import { readDecimalNumber, readWholeNumber } from '../contracts/number-text.ts';

type Parameter = TSchema & { type?: string };

/**
 * Reads the parameters of a query or path, which come as text, as their schema has them. What is not the text of a
 * value of that type stays text: the schema then says what is wrong with it. Nothing is coerced. Of a parameter that
 * is given several times the first one is read; `findRepeated` names it.
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

/** Parameters that are given several times: which of them counts would be a guess. */
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
