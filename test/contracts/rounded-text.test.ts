import { describe, expect, test } from 'vitest';
import { roundedDownText, roundedText, roundedUpText } from '../../src/contracts/rounded-text.ts';
import { randomFrom } from '../../src/core/optimize/problem/random.ts';

describe('numbers of messages', () => {
  test('have four significant digits and every digit before the point, without separators', () => {
    const text = (value: number) => [roundedDownText(value), roundedText(value), roundedUpText(value)];
    expect(text(25_423.522_755)).toEqual(['25423', '25424', '25424']);
    expect(text(687.6326)).toEqual(['687.6', '687.6', '687.7']);
    expect(text(0.930_307)).toEqual(['0.9303', '0.9303', '0.9304']);
    expect(text(1.1)).toEqual(['1.1', '1.1', '1.1']);
    expect(text(100_000_000_000)).toEqual(['100000000000', '100000000000', '100000000000']);
    expect(text(1.5e-7)).toEqual(['1.5e-7', '1.5e-7', '1.5e-7']);
    expect(text(0)).toEqual(['0', '0', '0']);
  });

  test('are never on the wrong side of the figure, and stay as they are when they are rounded again', () => {
    const random = randomFrom(7);
    for (let i = 0; i < 5000; i++) {
      const value = random() * 10 ** Math.floor(14 * random() - 4);
      const [low, high] = [Number(roundedDownText(value)), Number(roundedUpText(value))];
      expect(low).toBeLessThanOrEqual(value);
      expect(high).toBeGreaterThanOrEqual(value);
      expect(high - low).toBeLessThanOrEqual(Math.max(1, 0.0011 * value));
      expect(roundedUpText(high)).toBe(String(high));
    }
  });
});
