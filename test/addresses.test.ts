import { describe, expect, test } from 'vitest';
import { callerOfAddress, findMalformed, openAddressList } from '../src/addresses.ts';

describe('an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s belongs to the caller %s', (address, caller) => {
    expect(callerOfAddress(address)).toBe(caller);
  });
});

describe('a list of addresses', () => {
  test('knows its addresses and networks of both kinds', () => {
    const has = openAddressList('10.0.0.0/8, 203.0.113.7,2001:db8::/32');
    expect(['10.1.2.3', '203.0.113.7', '::ffff:10.0.0.1', '2001:db8:ffff::1'].map(has)).toEqual(
      Array(4).fill(true),
    );
    expect(['11.0.0.1', '203.0.113.8', '2001:db9::1', 'unknown', ''].map(has)).toEqual(Array(5).fill(false));
  });

  test('names entries that are neither an address nor a network', () => {
    expect(findMalformed('10.0.0.1,::1/128,0.0.0.0/0')).toEqual([]);
    const wrong = [
      '10.0.0.0/33',
      'proxy',
      '10.0.0',
      '10.0.0.0/-1',
      '10.0.0.0/8/8',
      '::1/129',
      '10.0.0.0/',
      '',
    ];
    expect(findMalformed(wrong.join(','))).toEqual(wrong);
  });
});
