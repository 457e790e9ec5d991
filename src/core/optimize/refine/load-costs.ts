/**
 * The least cost of having a load of at least t at a location, t = 0 … load, from sources that are offered one by one:
 * each may bring nothing, or one of several amounts. A dynamic programme that remembers what each source brings.
 */

/** Any whole amount from `least` to `most`, at a fixed cost and a cost each. */
export type Offer = {
  /** The caller's number of the source. */
  id: number;
  least: number;
  most: number;
  fixed: number;
  each: number;
};

/** @param mostLoad the largest load that will be asked for */
export function createLoadCosts(mostLoad: number) {
  const cost = new Float64Array(mostLoad + 1);
  const chosen: Int32Array[] = [];
  /** What each choice of a source brings; null: as much as its number. */
  const amounts: (ArrayLike<number> | null)[] = [];
  const ids: number[] = [];
  let load = 0;
  let count = 0;
  function next(id: number, amount: ArrayLike<number> | null): Int32Array {
    chosen[count] ??= new Int32Array(mostLoad + 1);
    ids[count] = id;
    amounts[count] = amount;
    return chosen[count++];
  }
  return {
    /** By load, as far as the load asked for. */
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
    offer({ id, least, most, fixed, each }: Offer): void {
      const choice = next(id, null);
      for (let t = load; t >= 1; t--) {
        let best = cost[t];
        let vehicles = 0;
        const last = Math.min(most, Math.max(t, least));
        for (let q = least; q <= last; q++) {
          const total = cost[t > q ? t - q : 0] + fixed + each * q;
          if (total < best) {
            best = total;
            vehicles = q;
          }
        }
        cost[t] = best;
        choice[t] = vehicles;
      }
    },
    /**
     * Choices 1 … `last`, each of which brings an amount above 0 at a cost; index 0 of both arrays is not read. The
     * arrays have to stay as they are until the loads are read. O(load · choices)
     */
    offerChoices(id: number, last: number, amount: ArrayLike<number>, costOf: ArrayLike<number>): void {
      const choice = next(id, amount);
      for (let t = load; t >= 1; t--) {
        let best = cost[t];
        let taken = 0;
        for (let c = 1; c <= last; c++) {
          const total = cost[t > amount[c] ? t - amount[c] : 0] + costOf[c];
          if (total < best) {
            best = total;
            taken = c;
          }
        }
        cost[t] = best;
        choice[t] = taken;
      }
    },
    /**
     * What the sources bring if at least `at` is wanted, as numbers of choices; sources in the order of their offers.
     * @returns what is left to the location
     */
    forEachLoad(at: number, take: (id: number, choice: number, source: number) => void): number {
      let left = at;
      for (let s = count - 1; s >= 0; s--) {
        const choice = chosen[s][left];
        if (choice === 0) continue;
        take(ids[s], choice, s);
        left = Math.max(0, left - (amounts[s]?.[choice] ?? choice));
      }
      return left;
    },
  };
}

/** Whether an offer may cost less than what it brings is worth: at most `load`, at this worth each. */
export function maySave({ least, most, fixed, each }: Offer, load: number, worth: number): boolean {
  const isWorth = (amount: number) => fixed + each * amount < worth * Math.min(amount, load);
  return isWorth(least) || isWorth(Math.max(least, Math.min(most, load)));
}
