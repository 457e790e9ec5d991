import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { readBlocks } from '../../docs/blocks.ts';

const README = path.join(import.meta.dirname, '../../../src/core/forecast/README.md');

test("the example of the room's README gives what its comments say", () => {
  const [example] = readBlocks(readFileSync(README, 'utf8'));
  // From 1 January to 3 May 2017 in New York, less the hour that a clock skipped.
  const values = Float64Array.from({ length: 123 * 24 - 1 }, (_, hour) => 20 + (hour % 24) + (hour % 7));
  const call = new Function('forecastMany', 'values', `${stripTypeScriptTypes(example!.text)}; return set;`);
  const set = call(forecastMany, values) as ReturnType<typeof forecastMany>;
  expect(set.startDate).toBe('2017-05-04');
  expect(set.results).toMatchObject([{ status: 'ok' }]);
  const [result] = set.results as object[];
  for (const name of ['values', 'lower', 'upper', 'method', 'backtestWape'])
    expect(result).toHaveProperty(name);
});
