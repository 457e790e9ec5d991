import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { DEMAND_AGGREGATION, OptimizeOptions } from '../../../../src/contracts/optimize.ts';
import { planningDemand } from '../../../../src/core/optimize/request/demand.ts';
import { runs } from '../../../helpers/depth.ts';

type Series = Record<string, number[]>;
type Aggregation = Parameters<typeof planningDemand>[1];

const planned = (series: Series, aggregation?: Aggregation) =>
  Object.fromEntries(planningDemand(series, aggregation));

const steps = (value: fc.Arbitrary<number>) => fc.array(value, { minLength: 1, maxLength: 6 });
const demand = fc.double({ min: 0, max: 1e6, noNaN: true });
const seriesOf = (value: fc.Arbitrary<number>) =>
  fc.dictionary(fc.integer({ min: -50, max: 50 }).map(String), steps(value), { minKeys: 1, maxKeys: 6 });

describe('system_peak', () => {
  test('takes every location in the one step with the most demand of all, the first of a tie', () => {
    // Small whole numbers: their sums are exact, and ties are common.
    fc.assert(
      fc.property(seriesOf(fc.integer({ min: 0, max: 3 })), (series) => {
        let best = { step: 0, total: -1 };
        for (let step = 0; step < 6; step++) {
          const total = Object.values(series)
            .map((one) => one[step] ?? 0)
            .reduce((a, b) => a + b);
          if (total > best.total) best = { step, total };
        }
        const expected = Object.fromEntries(
          Object.entries(series).map(([id, one]) => [id, one[best.step] ?? 0]),
        );
        expect(planned(series, 'system_peak')).toEqual(expected);
      }),
      runs(1000),
    );
  });

  test('is the same in whatever order the locations come, also where totals differ in their last digit alone', () => {
    // In another order 0.1 + 0.2 + 0.3 is a digit more, or less, than 0.6.
    const tied = { '-1': [0.6, 0.1], '-2': [0, 0.2], '-3': [0, 0.3] };
    const turned = Object.fromEntries(Object.entries(tied).reverse());
    expect(planned(tied, 'system_peak')).toEqual({ '-1': 0.6, '-2': 0, '-3': 0 });
    expect(planned(turned, 'system_peak')).toEqual(planned(tied, 'system_peak'));
  });

  test('never plans for more than the peaks of all locations, nor for less than any step has', () => {
    fc.assert(
      fc.property(seriesOf(demand), (series) => {
        const total = (values: Record<string, number>) => Object.values(values).reduce((a, b) => a + b, 0);
        const together = total(planned(series, 'system_peak'));
        expect(together).toBeLessThanOrEqual(total(planned(series, 'peak')) * (1 + 1e-12));
        for (let step = 0; step < 6; step++) {
          const one = Object.values(series).reduce((sum, values) => sum + (values[step] ?? 0), 0);
          expect(together).toBeGreaterThanOrEqual(one * (1 - 1e-11));
        }
      }),
      runs(1000),
    );
  });

  test('has no demand at a location whose series ends before that step', () => {
    expect(planned({ 1: [1, 9], 2: [5] }, 'system_peak')).toEqual({ 1: 9, 2: 0 });
  });
});

describe('quantile', () => {
  test.each([
    // R: quantile(x, q, type = 7)
    [[8, 1, 4, 2], 0.9, 6.8],
    [[8, 1, 4, 2], 0.25, 1.75],
    [[8, 1, 4, 2], 0.5, 3],
    [[5], 0.3, 5],
    [[0, 10], 0.999, 9.99],
  ])('of %j at %d is %d, as other programmes compute it', (values, share, expected) => {
    expect(planned({ 7: values }, `quantile:${share}`)[7]).toBeCloseTo(expected, 12);
  });

  test('is the k-th smallest step at k / (n − 1), a straight line between two of them, and never falls', () => {
    const share = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(steps(demand), share, share, (values, a, b) => {
        const at = (q: number) => planned({ 7: values }, `quantile:${q.toFixed(15) as `${number}`}`)[7];
        const sorted = values.toSorted((x, y) => x - y);
        const gaps = Math.max(1, sorted.length - 1);
        for (const [k, value] of sorted.entries()) expect(at(k / gaps)).toBeCloseTo(value, 5);
        for (let k = 0; k < sorted.length - 1; k++)
          expect(at((k + 0.25) / gaps)).toBeCloseTo(0.75 * sorted[k] + 0.25 * sorted[k + 1], 5);
        expect(at(Math.min(a, b))).toBeLessThanOrEqual(at(Math.max(a, b)) + 1e-6);
        expect(at(1)).toBe(planned({ 7: values }, 'peak')[7]);
      }),
      runs(1000),
    );
  });
});

test('every aggregation that has a name is accepted, and a quantile of a number from 0 to 1 alone', () => {
  const schema = Compile(OptimizeOptions);
  const isAccepted = (demand_aggregation: unknown) => schema.Check({ demand_aggregation });
  const accepted = [
    'peak',
    'mean',
    'first',
    'sum',
    'system_peak',
    'quantile:0',
    'quantile:1',
    'quantile:0.95',
  ];
  expect([...accepted, 'quantile:1.00', 'quantile:0.5'].filter((one) => !isAccepted(one))).toEqual([]);
  const refused = ['quantile', 'quantile:', 'quantile:1.1', 'quantile:-0.5', 'quantile:2', 'quantile:.5'];
  expect([...refused, 'quantile:90', 'quantile:1e-1', 'quantile:0.5 ', 'max', ''].filter(isAccepted)).toEqual(
    [],
  );
  expect(new RegExp(DEMAND_AGGREGATION, 'u').test('quantile:0x5')).toBe(false);
});
