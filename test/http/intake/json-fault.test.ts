import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJsonFault, findRepeatedKey, placeOf } from '../../../src/http/bodies/json-fault.ts';
import { runs } from '../../helpers/depth.ts';

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('where text stops being JSON', () => {
  test.each([
    ['{"a": {', 1, 8, /key.*end of the body/],
    ['{"a": abc}', 1, 7, /a value, found "a"/],
    ['{"a":1,}', 1, 8, /key in double quotes, found "}"/],
    ['[1,\n 2\n 3]', 3, 2, /"," or "]", found "3"/],
    ['{"a":"x\ny"}', 1, 8, /escaped character/],
    ['{"a":1}\n\nx', 3, 1, /end of the body, found "x"/],
    ["{'a':1}", 1, 2, /key in double quotes or "}", found "'"/],
    ['{"a" 1}', 1, 6, /":", found "1"/],
    ['{"a":"\\x"}', 1, 8, /an escape/],
    ['[01]', 1, 3, /"," or "]"/],
    ['nul', 1, 1, /a value/],
    ['["abc', 1, 6, /closing double quote, found the end/],
    ['', 1, 1, /a value, found the end/],
  ])('%j: line %i, column %i', (text, line, column, what) => {
    const fault = findJsonFault(text)!;
    expect(placeOf(text, fault.offset)).toEqual({ line, column });
    expect(fault.what).toMatch(what);
  });

  test('is nowhere exactly if JSON.parse accepts it', () => {
    const pieces = fc.constantFrom(
      ...'{}[],:"\\ \n0-+.eE1tfn'.split(''),
      'true',
      'null',
      '"a"',
      '\\u0041',
      '1.5e3',
      '\u0001',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(findJsonFault(text) === null, text).toBe(isJson(text));
      }),
      runs(20_000),
    );
    fc.assert(
      fc.property(fc.json(), (text) => findJsonFault(text) === null),
      runs(1000),
    );
  });

  test('nesting may be as deep as the text is long', () => {
    expect(findJsonFault('['.repeat(1_000_000))?.offset).toBe(1_000_000);
    expect(findJsonFault('['.repeat(500_000) + ']'.repeat(500_000))).toBeNull();
  });
});

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
