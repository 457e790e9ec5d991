import { describe, expect, test } from 'vitest';
import { compareAnswer, type Ids, useIds } from './answers.ts';
import { readSteps } from './blocks.ts';

const ONE = '01a1fe1d-a047-7227-ac90-3ce7b4fe1775';
const OTHER = '01a1fe1d-a088-76bd-a5ca-746fbc844fe5';
const compare = (shown: string, actual: string, ids: Ids = new Map()) => compareAnswer(shown, actual, ids);

describe('an answer that is shown', () => {
  test.each([
    ['the same value in another layout', '{"a": [1,\n 2]}', '{"a":[1,2]}'],
    ['fields left out', '{"a": 1, …}', '{"a":1,"b":2}'],
    ['items left out at the end', '[1, …]', '[1,2,3]'],
    ['items left out in between', '[1, …, 4]', '[1,2,3,4]'],
    ['a value left out', '{"a": …}', '{"a":{"b":null}}'],
    ['a part of a text left out', '{"a": "at … of 3"}', '{"a":"at 2 of 3"}'],
    ['an id of another run', `{"a": "opt_${ONE}"}`, `{"a":"opt_${OTHER}"}`],
    ['another moment', '"2026-11-21T12:38:36.936Z"', '"2026-11-22T00:00:00.001Z"'],
    ['a moment at a full second', '"2026-11-21T12:38:36.936Z"', '"2026-11-22T00:00:00.000Z"'],
    ['another duration', '{"solve_time_ms": 4.5}', '{"solve_time_ms":700}'],
    ['decimals that are cut', '[0.1321]', '[0.13210004]'],
    ['lines left out', 'a\n…\nd\n', 'a\nb\nc\nd\n'],
  ])('fits %s', (_what, shown, actual) => {
    expect(compare(shown, actual)).toEqual([]);
  });

  test.each([
    ['another number', '{"a": 1}', '{"a":2}'],
    ['a number that is no whole one', '{"a": 3}', '{"a":3.2}'],
    ['decimals beyond those shown', '[0.1321]', '[0.13216]'],
    ['a field that is not shown', '{"a": 1}', '{"a":1,"b":2}'],
    ['a field that is missing', '{"a": 1, "b": 2, …}', '{"a":1}'],
    ['an item too many', '[1]', '[1,2]'],
    ['an item that is missing', '[1, …, 9]', '[1,2,3]'],
    ['items in another order', '[2, 1, …]', '[1,2,3]'],
    ['an id of another kind', `{"a": "opt_${ONE}"}`, `{"a":"dec_${ONE}"}`],
    ['an hour of the data', '{"a": "2017-05-04T04:00:00Z"}', '{"a":"2017-05-04T05:00:00Z"}'],
    ['another text', '{"a": "at … of 3"}', '{"a":"at 2 of 4"}'],
    ['a line too many', 'a\n', 'a\nb\n'],
    ['a line that is missing', 'a\n…\nd\n', 'a\nb\n'],
  ])('does not fit %s', (_what, shown, actual) => {
    expect(compare(shown, actual)).not.toEqual([]);
  });

  test('has one id for one thing: in the same answer, and in commands that follow', () => {
    const ids: Ids = new Map();
    expect(compare(`{"a": "opt_${ONE}"}`, `{"a":"opt_${OTHER}"}`, ids)).toEqual([]);
    expect(compare(`{"b": "opt_${ONE}"}`, `{"b":"opt_${ONE}"}`, ids)).not.toEqual([]);
    expect(useIds(`curl jobs/opt_${ONE}`, ids)).toBe(`curl jobs/opt_${OTHER}`);
    expect(() => useIds(`curl jobs/opt_${OTHER}`, ids)).toThrow('in no answer above');
  });
});

describe('a document', () => {
  test('has no answer without its command, and leaves no block out without a known reason', () => {
    expect(() => readSteps('```json\n{}\n```\n')).toThrow('line 1: an answer without the command');
    expect(() => readSteps('<!-- not run: too hard -->\n```sh\nls\n```\n')).toThrow('no allowed reason');
    expect(readSteps('<!-- not run: needs a container engine -->\n```sh\nls\n```\n')).toEqual([]);
  });
});
