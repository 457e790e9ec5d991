import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FINGERPRINT, readFingerprint } from '../../clients/python/generate.ts';

// Hashes, so that it needs no Python: whoever changes the API without Python learns that the client is stale, and a
// pinned generator gives the same files from the same document.
test('the generated files of the Python client are those of the present document (npm run generate:client:python)', async () => {
  expect(await readFingerprint()).toEqual(JSON.parse(readFileSync(FINGERPRINT, 'utf8')));
});
