import { expect, test } from 'vitest';
import { logRepeated } from '../../src/process/logger.ts';

test('an error that repeats is logged at once, then once in ten seconds with how often it came', () => {
  const lines: object[] = [];
  let now = 0;
  const log = logRepeated({ warn: (line: object) => lines.push(line) } as never, 'connection', () => now);
  const gone = new Error('gone');
  const away = new Error('away');
  for (let i = 0; i < 1000; i++) log(gone);
  log(away);
  expect(lines).toEqual([{ err: gone }, { err: away }]);
  now = 10_000;
  log(gone);
  log(gone);
  expect(lines.slice(2)).toEqual([{ err: gone, repeated: 999 }]);
});
