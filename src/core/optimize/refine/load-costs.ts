/**
 * The least cost of having at least t vehicles at a location, t = 0 … load, from sources that are offered one by one:
 * each may bring nothing, or from `least` to `most` whole vehicles at a fixed cost and a cost each. A dynamic programme
 * that remembers what each source brings.
 */

export type Offer = {
  /** The caller's number of the source. */
  id: number;
  least: number;
  most: number;
  fixed: number;
  each: number;
  /** More than this many vehicles also cost `lossOf`. */
  spare?: number;
  lossOf?: (vehicles: number) => number;
};

/** @param mostLoad the largest load that will be asked for */
export function createLoadCosts(mostLoad: number) {
  const cost = new Float64Array(mostLoad + 1);
  const choices: Int32Array[] = [];
  const ids: number[] = [];
  let load = 0;
  let count = 0;
  return {
    /** By number of vehicles, as far as the load. */
    cost,
    /** Sources offered since the beginning. */
    count: () => count,
    /** Begins with vehicles of the location itself: up to `own` of them, at this cost each. */
    begin(newLoad: number, own: number, each: number): void {
      load = newLoad;
      count = 0;
      cost.fill(Number.POSITIVE_INFINITY, 0, load + 1);
      for (let t = 0; t <= Math.min(load, own); t++) cost[t] = each * t;
    },
    /** O(load · most) */
    offer({ id, least, most, fixed, each, spare = most, lossOf }: Offer): void {
      choices[count] ??= new Int32Array(mostLoad + 1);
      ids[count] = id;
      const choice = choices[count++];
      for (let t = load; t >= 1; t--) {
        let best = cost[t];
        let vehicles = 0;
        const last = Math.min(most, Math.max(t, least));
        for (let q = least; q <= last; q++) {
          const loss = lossOf && q > spare ? lossOf(q) : 0;
          const total = cost[t > q ? t - q : 0] + fixed + each * q + loss;
          if (total < best) {
            best = total;
            vehicles = q;
          }
        }
        cost[t] = best;
        choice[t] = vehicles;
      }
    },
    /** What the sources bring if at least `at` vehicles are wanted. @returns how many are of the location itself */
    forEachLoad(at: number, take: (id: number, vehicles: number) => void): number {
      let left = at;
      for (let s = count - 1; s >= 0; s--) {
        const vehicles = choices[s][left];
        if (vehicles === 0) continue;
        take(ids[s], vehicles);
        left = Math.max(0, left - vehicles);
      }
      return left;
    },
  };
}

/** Whether an offer may cost less than what it brings is worth: at most `load` vehicles, at this worth each. */
export function maySave({ least, most, fixed, each }: Offer, load: number, worth: number): boolean {
  const isWorth = (vehicles: number) => fixed + each * vehicles < worth * Math.min(vehicles, load);
  return isWorth(least) || isWorth(Math.max(least, Math.min(most, load)));
}
