import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findRepeatedKey, placeOf } from '../../../src/http/bodies/repeated-key.ts';
import { runs } from '../../helpers/depth.ts';

describe('a key that an object has twice', () => {
  test.each([
    ['{"a":1,"a":2}', 'a', 8],
    ['{"a":1,\n "b":{"a":1, "\\u0061" : 2}}', 'a', 14],
    ['[{"":{}},{"":"\\"\\\\","":":"}]', '', 21],
    ['{"a":[{"b":1},{"b":1}],"c":"a:","a":[]}', 'a', 33],
  ])('is found where it comes again: %s', (text, key, column) => {
    const { offset, ...found } = findRepeatedKey(text)!;
    expect(found).toEqual({ key });
    expect(placeOf(text, offset).column).toBe(column);
  });

  test('is none that another object has, or a text', () => {
    expect(findRepeatedKey('{"a":{"a":["a","a",{"a":1}]},"b":"a","c":"a"}')).toBeNull();
    fc.assert(
      fc.property(fc.json(), (text) => findRepeatedKey(text) === null),
      runs(1000),
    );
  });

  test('nesting may be as deep as the text is long', () => {
    expect(findRepeatedKey('['.repeat(500_000) + ']'.repeat(500_000))).toBeNull();
  });
});
