/** @module-tag slow */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readOpenApiDocument } from '../../clients/openapi.ts';
import { generateSchema } from '../../clients/typescript/generate.ts';

test('the types of the client are those of the service: after a change run `npm run generate:client`', async () => {
  const file = path.join(import.meta.dirname, '../../clients/typescript/src/schema.ts');
  expect(readFileSync(file, 'utf8')).toBe(await generateSchema(await readOpenApiDocument()));
});
