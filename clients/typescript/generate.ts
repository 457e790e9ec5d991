import { writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { readOpenApiDocument } from '../openapi.ts';

const SCHEMA = new URL('src/schema.ts', import.meta.url);
const HEADER =
  '// Generated from the OpenAPI document of the service by `npm run generate:client`. Do not edit.\n\n';

// openapi-typescript builds its output with the compiler's own factory, which TypeScript 7 does not have. ts-morph
// brings one along; a second TypeScript would take the place of `tsc`.
const factory = `data:text/javascript,import { ts } from ${JSON.stringify(import.meta.resolve('@ts-morph/common'))}; export default ts;`;

/** The types of paths, bodies and answers. @param document an OpenAPI document */
export async function generateSchema(document: object): Promise<string> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => next(specifier === 'typescript' ? factory : specifier, context),
  });
  try {
    const { astToString, default: toTypes } = await import('openapi-typescript');
    return HEADER + astToString(await toTypes(JSON.stringify(document, withoutSurplus)));
  } finally {
    hooks.deregister();
  }
}

/**
 * Leaves out what no type needs, nine tenths of the text: examples, headers of answers, and answers with errors, which
 * are all the same `ErrorEnvelope`.
 */
function withoutSurplus(key: string, value: unknown): unknown {
  if (['example', 'examples', 'headers'].includes(key)) return undefined;
  // openapi-typescript knows null only as a type.
  if ((value as { const?: unknown } | null)?.const === null) return { type: 'null' };
  if (key !== 'responses') return value;
  return Object.fromEntries(Object.entries(value as object).filter(([status]) => status < '400'));
}

if (import.meta.main) await writeFile(SCHEMA, await generateSchema(await readOpenApiDocument()));
