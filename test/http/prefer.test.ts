import { expect, test } from 'vitest';
import { readWaitPreference } from '../../src/http/jobs/prefer.ts';

test.each([
  // What RFC 7240 writes down.
  [undefined, 300, undefined],
  ['respond-async', 0, 'respond-async'],
  ['respond-async, wait=100', 100, 'respond-async, wait=100'],
  ['wait=0', 0, 'wait=0'],
  [['respond-async', 'wait=10'], 10, 'respond-async, wait=10'],
  ['Respond-Async', 0, 'respond-async'],
  ['wait = "10"', 10, 'wait=10'],
  ['handling=lenient, wait=100, respond-async', 100, 'respond-async, wait=100'],
  ['wait=5; foo="a, b; c", respond-async', 5, 'respond-async, wait=5'],
  // Only the first of its name counts.
  ['wait=5, wait=50', 5, 'wait=5'],
  ['wait=soon, wait=50', 300, undefined],
  // What is not understood is ignored, and what is quoted is no preference.
  ['foo="bar, wait=5"', 300, undefined],
  ['foo="a\\", wait=5", wait=7', 7, 'wait=7'],
  ['wait=-1', 300, undefined],
  ['wait=1.5', 300, undefined],
  ['wait=', 300, undefined],
  ['wait=9999999999', 300, undefined],
  ['return=minimal; wait=5', 300, undefined],
  [', ,;', 300, undefined],
  ['wait="5', 300, undefined],
  // Of a longer wait than the service allows, that much is applied.
  ['wait=1000', 300, 'wait=300'],
  ['respond-async, wait=1000', 300, 'respond-async, wait=300'],
])('Prefer: %s waits %d s and applies %s', (header, waitSeconds, applied) => {
  expect(readWaitPreference(header, 300)).toEqual({ waitSeconds, applied });
});

test('a header of many quotes and commas is read quickly', () => {
  for (const part of ['"', '",', '"\\', ',;', 'wait="'])
    expect(readWaitPreference(part.repeat(10_000), 300).waitSeconds).toBe(300);
}, 5000);
