/**
 * Small changes that may make a plan cheaper: up to three shifts of vehicles of different classes that meet at one
 * location, and pairs of such changes, one of which leaves demand unmet that the other serves.
 *
 * A change is rated by cost + price · demand it leaves unmet, with the price of the relaxation's service level. Its
 * cost is that of moving and, where unmet demand has a cost, of the demand it leaves unmet. Of the shifts that meet at
 * a location, the best few of each class, number and direction are combined: O(n) combinations per number of classes.
 * Costs are those of each shift alone: exact for one vehicle of a class, otherwise a lower bound.
 */

/** `times` vehicles of class k fewer at `from`, and as many more at `to`. Cost in cost units. */
export type Shift = { k: number; from: number; to: number; times: number; cost: number };

/** `cost`: of moving and of unmet demand. */
export type Exchange = { shifts: Shift[]; cost: number; unmet: number };

export type ExchangeState = {
  capacities: Float64Array;
  /** n: capacity present beyond demand, negative if demand is unmet. */
  spare: Float64Array;
  /** Additional demand that may be left unmet. */
  slack: number;
  /** Cost units per demand. */
  price: number;
  /** n: cost units per unmet demand. */
  unmetUnits: Float64Array;
  present(k: number, j: number): number;
  /** The cost of one vehicle fewer at `from` and one more at each of the nearest sinks. */
  reach(k: number, from: number): { sinks: Int32Array; costs: Float64Array };
  /** Whether j may have so many vehicles more (fewer, if negative). */
  fits(j: number, more: number): boolean;
  isOver(): boolean;
};

const MAX_TIMES = 2;
/** Maximum number of shifts per class, number and direction at a location. */
const PER_KIND = 4;
const MAX_PER_LOCATION = 48;
/** A change with a score above the price of this much unmet demand is discarded. */
const MIN_LOSS = 0.1;
const MAX_JOINED = 400;

/**
 * A shift seen from the location where several meet: `size` capacity more or less there, and the effect at its other
 * end, whose cost is included.
 */
type End = {
  shift: Shift;
  other: number;
  /** Vehicles more at the location where shifts meet. */
  more: number;
  size: number;
  unmet: number;
  cost: number;
  score: number;
  /** Whether the number of vehicles at the other end may change so, without another shift there. */
  fitsAlone: boolean;
};

/** @returns changes that lower the cost and keep the service level, the greatest saving first; empty if time is up */
export function findExchanges(state: ExchangeState): Exchange[] {
  const { slack, price } = state;
  const found: Exchange[] = [];
  const ends = collectShifts(state, found);
  if (!ends) return [];
  for (let a = 0; a < ends.length; a++) {
    if (state.isOver()) return [];
    combine(state, a, ends[a], found);
  }
  const score = (e: Exchange) => e.cost + price * e.unmet;
  found.sort((x, y) => score(x) - score(y));
  const savings = found.filter((e) => e.cost < 0 && e.unmet > 0).slice(0, MAX_JOINED);
  const repairs = found.filter((e) => e.cost >= 0 && e.unmet < 0).slice(0, MAX_JOINED);
  const cheaper = found.filter((e) => e.cost < 0 && e.unmet <= slack);
  for (const saving of savings) {
    for (const repair of repairs) {
      const cost = saving.cost + repair.cost;
      const unmet = saving.unmet + repair.unmet;
      if (cost < 0 && unmet <= slack) {
        cheaper.push({ shifts: [...saving.shifts, ...repair.shifts], cost, unmet });
      }
    }
  }
  return cheaper.sort((x, y) => x.cost - y.cost);
}

/** The increase of unmet demand at j if its capacity changes by `capacity`. */
export function unmetChange(spare: Float64Array, j: number, capacity: number): number {
  return Math.max(0, -spare[j] - capacity) - Math.max(0, -spare[j]);
}

/** All shifts by the locations at their ends. Shifts that may pay off alone go to `found`. */
function collectShifts(state: ExchangeState, found: Exchange[]): End[][] | null {
  const { capacities, spare, price, unmetUnits } = state;
  const n = spare.length;
  const kinds: End[][][] = Array.from({ length: n }, () => []);
  const tied = 2 * MAX_TIMES * capacities.length;
  for (let k = 0; k < capacities.length; k++) {
    for (let from = 0; from < n; from++) {
      if (state.isOver()) return null;
      const most = Math.min(MAX_TIMES, state.present(k, from));
      if (most === 0) continue;
      const { sinks, costs } = state.reach(k, from);
      for (let times = 1; times <= most; times++) {
        const size = capacities[k] * times;
        const kind = 2 * (k * MAX_TIMES + times - 1);
        const lost = unmetChange(spare, from, -size);
        const mayLeave = state.fits(from, -times);
        for (let s = 0; s < sinks.length; s++) {
          const shift = { k, from, to: sinks[s], times, cost: costs[s] * times };
          const won = unmetChange(spare, shift.to, size);
          const costOfLost = unmetUnits[from] * lost;
          const costOfWon = unmetUnits[shift.to] * won;
          const atTarget = shift.cost + costOfLost;
          const mayArrive = state.fits(shift.to, times);
          keepBest(kinds[shift.to], mayLeave ? kind : kind + tied, {
            shift,
            other: from,
            more: times,
            size,
            fitsAlone: mayLeave,
            unmet: lost,
            cost: atTarget,
            score: atTarget + price * lost,
          });
          const atSource = shift.cost + costOfWon;
          keepBest(kinds[from], mayArrive ? kind + 1 : kind + 1 + tied, {
            shift,
            other: shift.to,
            more: -times,
            size: -size,
            fitsAlone: mayArrive,
            unmet: won,
            cost: atSource,
            score: atSource + price * won,
          });
          if (mayLeave && mayArrive) keep(state, found, [shift], atTarget + costOfWon, lost + won);
        }
      }
    }
  }
  const best = (lists: End[][]) =>
    lists
      .flat()
      .sort((x, y) => x.score - y.score)
      .slice(0, MAX_PER_LOCATION);
  return kinds.map((lists) => [...best(lists.slice(0, tied)), ...best(lists.slice(tied))]);
}

function keepBest(kinds: End[][], kind: number, end: End): void {
  kinds[kind] ??= [];
  const list = kinds[kind];
  if (list.length === PER_KIND) {
    if (end.score >= list[PER_KIND - 1].score) return;
    list.pop();
  }
  let at = list.length;
  while (at > 0 && list[at - 1].score > end.score) at--;
  list.splice(at, 0, end);
}

function keep({ price }: ExchangeState, found: Exchange[], shifts: Shift[], cost: number, unmet: number) {
  if (cost + price * unmet < MIN_LOSS * price) found.push({ shifts, cost, unmet });
}

/** Two and three shifts that meet at location a. */
function combine(state: ExchangeState, a: number, ends: End[], found: Exchange[]): void {
  const { spare, price, unmetUnits } = state;
  const eachHere = unmetUnits[a];
  const open = -spare[a];
  const unmet = Math.max(0, open);
  for (let x = 0; x < ends.length; x++) {
    const first = ends[x];
    for (let y = 0; y < x; y++) {
      const second = ends[y];
      if (first.shift.k === second.shift.k) continue;
      const more = first.more + second.more;
      const fitsHere = state.fits(a, more);
      const size = first.size + second.size;
      const here = Math.max(0, open - size) - unmet;
      const cost = first.cost + second.cost;
      if (first.other === second.other) {
        // A combination is seen from both ends but counted once.
        if (first.other > a || !fitsHere || !state.fits(first.other, -more)) continue;
        const there = unmetChange(spare, first.other, -size);
        const moving = first.shift.cost + second.shift.cost;
        const both = moving + eachHere * here + unmetUnits[first.other] * there;
        keep(state, found, [first.shift, second.shift], both, here + there);
        continue;
      }
      if (!first.fitsAlone || !second.fitsAlone) continue;
      const ofTwo = first.unmet + second.unmet + here;
      if (fitsHere) keep(state, found, [first.shift, second.shift], cost + eachHere * here, ofTwo);
      for (let z = 0; z < y; z++) {
        const third = ends[z];
        const all = Math.max(0, open - size - third.size) - unmet;
        if (first.score + second.score + third.score + (price + eachHere) * all >= 0) continue;
        if (third.shift.k === first.shift.k || third.shift.k === second.shift.k) continue;
        if (third.other === first.other || third.other === second.other) continue;
        if (!third.fitsAlone || !state.fits(a, more + third.more)) continue;
        found.push({
          shifts: [first.shift, second.shift, third.shift],
          cost: cost + third.cost + eachHere * all,
          unmet: first.unmet + second.unmet + third.unmet + all,
        });
      }
    }
  }
}
