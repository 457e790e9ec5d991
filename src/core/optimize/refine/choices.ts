/**
 * The ways in which a source may send vehicles to a target: the largest ones first, with a smaller one at the end or
 * the smallest ones to fill a least number, or the smallest ones first. Amounts of capacity count in units.
 */
import type { Problem } from '../problem/model.ts';

const MAX_CHOICES = 96;
/** Loads are at most so many units. */
const MAX_UNITS = 200;
/** Of the smallest capacity, by which another may miss a multiple of it. */
const UNIT_NOISE = 1e-9;

/**
 * The unit of capacity: the smallest capacity if all are multiples of it, or one by which no load has too many
 * units; and whole units by class.
 * @param largest load, in capacity
 */
export function unitsOfCapacity(
  { capacities }: Problem,
  largest: number,
): { unit: number; whole: Int32Array } {
  const smallest = capacities[0];
  const isMultiple = capacities.every(
    (c) => Math.abs(c / smallest - Math.round(c / smallest)) < UNIT_NOISE * (c / smallest),
  );
  const exact = isMultiple ? smallest : smallest / 4;
  const unit = Math.max(exact, largest / MAX_UNITS);
  return { unit, whole: Int32Array.from(capacities, (c) => Math.max(1, Math.floor(c / unit + UNIT_NOISE))) };
}

export type Choices = ReturnType<typeof createChoices>;

/** @param costOf vehicles by class; Infinity if that saves nothing */
export function createChoices(classes: number, units: Int32Array) {
  const amount = new Int32Array(MAX_CHOICES + 1);
  const cost = new Float64Array(MAX_CHOICES + 1);
  const vehicles = new Int32Array((MAX_CHOICES + 1) * classes);
  const now = new Int32Array(classes);
  let last = 0;
  return {
    /** Choices are numbered from 1. */
    amount,
    cost,
    last: () => last,
    vehicles: (choice: number, k: number) => vehicles[choice * classes + k],
    /** Has the last choice of another list as its only one. */
    copyLast(other: { last(): number; vehicles(choice: number, k: number): number }): void {
      last = 1;
      for (let k = 0; k < classes; k++) vehicles[classes + k] = other.vehicles(other.last(), k);
    },
    /**
     * @param standing vehicles of class k that may be sent
     * @param least of vehicles sent, all classes together. @param most of them
     * @param load in units, beyond which more bring nothing
     * @param costOf what it costs to send these vehicles by class; Infinity: not a choice
     */
    list(
      standing: (k: number) => number,
      least: number,
      most: number,
      load: number,
      costOf: (counts: Int32Array, count: number) => number,
    ): void {
      last = 0;
      let step = 1;
      const record = (count: number, brought: number) => {
        if (count < least || count > most || last === MAX_CHOICES || brought === 0) return;
        const total = costOf(now, count);
        if (total === Number.POSITIVE_INFINITY) return;
        last++;
        amount[last] = brought;
        cost[last] = total;
        for (let k = 0; k < classes; k++) vehicles[last * classes + k] = now[k];
      };
      /** Adds vehicles class by class until the load is reached. */
      const fill = (first: number, by: 1 | -1, isEndTried: boolean) => {
        now.fill(0);
        let count = 0;
        let brought = 0;
        for (let k = first; k >= 0 && k < classes; k += by) {
          for (let left = standing(k); left > 0; ) {
            if (count >= most || (count >= least && brought >= load)) return;
            for (let other = 0; isEndTried && other < k; other++) {
              if (standing(other) === 0) continue;
              now[other]++;
              record(count + 1, brought + units[other]);
              now[other]--;
            }
            const taken = Math.min(left, count + 1 < least ? least - count : step, most - count);
            now[k] += taken;
            count += taken;
            brought += taken * units[k];
            left -= taken;
            record(count, brought);
          }
        }
      };
      step = Math.max(1, Math.floor(load / units[0] / (MAX_CHOICES / 2)));
      if (classes === 1) {
        fill(0, 1, false);
        return;
      }
      fill(classes - 1, -1, true);
      fill(0, 1, false);
      if (least > 1) fillWithSmallest(standing, least, record);
    },
  };

  /** A few of the largest vehicles, and the smallest ones until there are enough. */
  function fillWithSmallest(
    standing: (k: number) => number,
    least: number,
    record: (count: number, brought: number) => void,
  ): void {
    for (let large = 1; large < least; large++) {
      now.fill(0);
      let brought = 0;
      let left = large;
      for (let k = classes - 1; k >= 0 && left > 0; k--) {
        const taken = Math.min(left, standing(k));
        now[k] += taken;
        left -= taken;
        brought += taken * units[k];
      }
      left = least - large;
      for (let k = 0; k < classes && left > 0; k++) {
        const taken = Math.min(left, standing(k) - now[k]);
        now[k] += taken;
        left -= taken;
        brought += taken * units[k];
      }
      if (left === 0) record(least, brought);
    }
  }
}
