import { type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

const validators = new WeakMap<TSchema, Validator>();

/** Whether a value fits a schema. The check is code that is generated once per schema. */
export function fits(schema: TSchema, value: unknown): boolean {
  let validator = validators.get(schema);
  if (!validator) {
    validator = Compile(withKeySets(schema) as TSchema);
    validators.set(schema, validator);
  }
  return validator.Check(value);
}

/**
 * The same schema, whose objects look their keys up in a set. TypeBox matches each key of each object with a regular
 * expression of all names.
 */
function withKeySets(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(withKeySets);
  const node = Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, withKeySets(inner)]));
  const { additionalProperties, ...others } = node;
  if (additionalProperties !== false || !node.properties || node.patternProperties) return node;
  const known = new Set(Object.keys(node.properties));
  return Type.Refine(others, (value) => Object.keys(value as object).every((key) => known.has(key)));
}
