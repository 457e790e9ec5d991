/**
 * `node test/core/optimize/golden/write-answers.ts` writes `answers.json` from the optimizer as it is. Only a change of
 * what is promised is a reason to run it.
 */
import { writeFileSync } from 'node:fs';
import { createCache } from '../../../../src/core/optimize/run/cache.ts';
import { answerTo, KINDS } from './golden-requests.ts';

const cache = createCache();
const kinds: string[] = [];
for (const [kind, { count, input }] of Object.entries(KINDS)) {
  const rows: string[] = [];
  for (let seed = 0; seed < count; seed++) {
    const asked = input(seed);
    rows.push(JSON.stringify(asked && (await answerTo(asked, cache))));
  }
  kinds.push(`  ${JSON.stringify(kind)}: [\n    ${rows.join(',\n    ')}\n  ]`);
}
writeFileSync(new URL('answers.json', import.meta.url), `{\n${kinds.join(',\n')}\n}\n`);
