import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readOpenApiDocument } from '../../clients/openapi.ts';
import { generateSchema } from '../../clients/typescript/generate.ts';

// It loads the compiler and builds the API: 2 s alone, 11 s with a load of 10 on 2 cores.
const SLOW_MACHINE = { timeout: 60_000 };

test(
  'the types of the client are those of the service: after a change run `npm run generate:client`',
  SLOW_MACHINE,
  async () => {
    const file = path.join(import.meta.dirname, '../../clients/typescript/src/schema.ts');
    expect(readFileSync(file, 'utf8')).toBe(await generateSchema(await readOpenApiDocument()));
  },
);
