import type { TravelTable } from '../../../src/core/optimize/problem/model.ts';

export type TravelRows = readonly [from: number, to: number, km: number, minutes: number][];

/** A travel table of these rows, each pair once, in any order. */
export function travelTable(rows: TravelRows): TravelTable {
  const sources = Map.groupBy(rows, ([from]) => from);
  return new Map(
    [...sources].map(([from, pairs]) => {
      pairs.sort(([, a], [, b]) => a - b);
      return [
        from,
        {
          to: Int32Array.from(pairs, ([, to]) => to),
          km: Float64Array.from(pairs, ([, , km]) => km),
          minutes: Float64Array.from(pairs, ([, , , minutes]) => minutes),
        },
      ];
    }),
  );
}
