/**
 * A horizon problem with rules written variable by variable and solved by HiGHS, one wish after the other: served
 * demand instead of serving vehicles, all moves at once. Shares no code with the optimizer.
 */
import type { Loosened } from '../../../../src/core/optimize/horizon/ruled-master.ts';
import type { RuledHorizon } from '../../../../src/core/optimize/horizon/rules.ts';
import { type Row, runProgramme, type Term } from './horizon-formulation.ts';

/**
 * `served`: of each level above 0 with demand and the higher ones, the highest first; then of all demand. `leastUnits`:
 * what plans cost at least that serve as much but for noise, whose last parts may cost a move.
 */
export type Lexicographic = {
  served: number[];
  isReached: boolean;
  objectiveUnits: number;
  leastUnits: number;
};

/**
 * @param isWhole whether the first step's moves are whole, and keep the rules about pairs if there are any; `all`:
 *   those of later steps, too
 * @returns null if no plan keeps the bounds
 */
export function formulateRuled(
  problem: RuledHorizon,
  isWhole: boolean | 'all' = false,
): Lexicographic | null {
  const { base } = problem;
  const { money, whole, rows, servedAt } = programmeOf(problem, isWhole);
  const unmet = base.unmetUnits?.reduce((sum, units, u) => sum + units * base.demand[u], 0) ?? 0;
  const found = wishAfterWish(problem, money, whole, rows, servedAt);
  return (
    found && {
      ...found,
      objectiveUnits: found.objectiveUnits + unmet,
      leastUnits: found.leastUnits + unmet,
    }
  );
}

/**
 * By how much one rule has to be loosened in total before a plan of fractional vehicles serves what is required,
 * whatever critical demand gets: in vehicles, or cost units. Null if no amount is enough.
 */
export function formulateLoosening(problem: RuledHorizon, { rule, byLocation }: Loosened): number | null {
  const { base, ceilingUnits = 0, fleetSize = 0 } = problem;
  const { n, demand, required } = base;
  const infinity = Number.POSITIVE_INFINITY;
  const { least, most, ...free } = base;
  const lifted = {
    least: { ...problem, base: { ...free, ...(most && { most }) } },
    most: { ...problem, base: { ...free, ...(least && { least }) } },
    ceiling: { ...problem, ceilingUnits: undefined },
    fleet: { ...problem, fleetSize: undefined },
  }[rule];
  const { money, rows, servedAt, present, spent, working } = programmeOf(lifted, false);
  const first = money.length;
  const loose = Array.from({ length: byLocation ? n : 1 }, (_, at) => first + at);
  const at = (u: number) => loose[u % loose.length];
  if (rule === 'least')
    for (const [u, terms] of present.entries())
      rows.push({ lower: least![u], upper: infinity, terms: [...terms, [at(u), 1]] });
  if (rule === 'most')
    for (const [u, terms] of present.entries())
      rows.push({ lower: -infinity, upper: most![u], terms: [...terms, [at(u), -1]] });
  if (rule === 'ceiling')
    for (const terms of spent)
      rows.push({ lower: -infinity, upper: ceilingUnits, terms: [...terms, [first, -1]] });
  if (rule === 'fleet')
    for (const terms of working)
      rows.push({ lower: -infinity, upper: fleetSize, terms: [...terms, [first, -1]] });
  const noise = 1e-9 * demand.reduce((a, b) => a + b, 0);
  rows.push({ lower: required - noise, upper: infinity, terms: servedAt.flat() });
  const cost = [...money.map(() => 0), ...loose.map(() => 1)];
  const none = cost.map(() => 0);
  const solved = runProgramme(
    cost,
    none,
    none.map(() => infinity),
    none.map(() => false),
    rows,
  );
  return solved?.objective ?? null;
}

function programmeOf(problem: RuledHorizon, isWhole: boolean | 'all') {
  const { base, capacities, supply, ceilingUnits, fleetSize, previous, firstPairs } = problem;
  const { n, steps, demand, pairs, unmetUnits, least, most, flows } = base;
  const infinity = Number.POSITIVE_INFINITY;
  const money: number[] = [];
  const whole: boolean[] = [];
  const rows: Row[] = [];
  const column = (units: number, isFirst = false) => {
    money.push(units / 1e4);
    whole.push(isFirst && isWhole !== false);
    return money.length - 1;
  };
  const size = n * steps;
  const { chances, sizes } = base.parts ?? { chances: Float64Array.of(1), sizes: demand };
  const servedAt: Term[][] = Array.from({ length: size }, () => []);
  const readyFor: Term[][] = Array.from(sizes, () => []);
  const working: Term[][] = Array.from({ length: steps }, () => []);
  const present: Term[][] = Array.from({ length: size }, () => []);
  const spent: Term[][] = Array.from({ length: steps }, () => []);
  const firstMoves = new Map<string, Term[]>();
  const inPair = (from: number, to: number, move: number) => {
    const pair = `${from} ${to}`;
    firstMoves.set(pair, [...(firstMoves.get(pair) ?? []), [move, 1]]);
  };
  const last = (step: number) => Math.min(steps, step);
  for (const [k, capacity] of capacities.entries()) {
    const arriving: Term[][] = Array.from({ length: size + 2 * n }, () => []);
    const groups = (previous?.groups ?? []).filter(({ capacityClass }) => capacityClass === k);
    const free = supply.slice(k * size, (k + 1) * size);
    for (const { location: i, target, count } of groups) {
      free[i] -= count;
      const delta = previous!.changeUnits;
      const stay = column(target === i ? 0 : delta, true);
      arriving[n + i].push([stay, 1]);
      const terms: Term[] = [[stay, 1]];
      for (let a = pairs.starts[i]; a < pairs.starts[i + 1]; a++) {
        if (pairs.delay[a] >= steps) continue;
        const move = column(pairs.units[a] + (pairs.targets[a] === target ? 0 : delta), true);
        terms.push([move, 1]);
        inPair(i, pairs.targets[a], move);
        spent[0].push([move, pairs.units[a]]);
        arriving[last(pairs.delay[a]) * n + pairs.targets[a]].push([move, 1]);
      }
      rows.push({ lower: count, upper: count, terms });
    }
    for (let u = 0; u < size; u++) {
      const i = u % n;
      const t = (u - i) / n;
      const stays = column(0, t === 0 || isWhole === 'all');
      const ready = Array.from(chances, () => column(0));
      const leaving: Term[] = [];
      for (let a = pairs.starts[i]; a < pairs.starts[i + 1]; a++) {
        if (t + pairs.delay[a] >= steps) continue;
        const move = column(pairs.units[a], t === 0 || isWhole === 'all');
        leaving.push([move, 1]);
        if (t === 0) inPair(i, pairs.targets[a], move);
        spent[t].push([move, pairs.units[a]]);
        arriving[last(t + pairs.delay[a]) * n + pairs.targets[a]].push([move, 1]);
      }
      const arrivals = arriving[u].map(([c, f]): Term => [c, -f]);
      rows.push({ lower: free[u], upper: free[u], terms: [[stays, 1], ...leaving, ...arrivals] });
      rows.push({
        lower: 0,
        upper: infinity,
        terms: [[stays, capacity], ...ready.map((one): Term => [one, -1])],
      });
      for (const [p, one] of ready.entries()) {
        servedAt[u].push([one, chances[p]]);
        readyFor[p * size + u].push([one, 1]);
        working[t].push([one, 1 / capacity]);
      }
      present[u].push([stays, 1]);
      arriving[u + n].push([stays, 1]);
      if (!flows) continue;
      for (const [p, one] of ready.entries()) {
        arriving[u + n].push([one, -chances[p] / capacity]);
        const { starts, targets, shares } = flows[t];
        for (let a = starts[i]; a < starts[i + 1]; a++)
          arriving[(t + 1) * n + targets[a]].push([one, (chances[p] * shares[a]) / capacity]);
      }
    }
  }
  for (let u = 0; u < size; u++) {
    for (const [one, chance] of servedAt[u]) money[one] -= (chance * (unmetUnits?.[u] ?? 0)) / 1e4;
    rows.push({ lower: least?.[u] ?? 0, upper: most?.[u] ?? infinity, terms: present[u] });
  }
  for (const [k, terms] of readyFor.entries()) rows.push({ lower: 0, upper: sizes[k], terms });
  for (const terms of working) rows.push({ lower: 0, upper: fleetSize ?? infinity, terms });
  for (const terms of spent) rows.push({ lower: 0, upper: ceilingUnits ?? infinity, terms });
  if (firstPairs && isWhole) {
    const used: Term[] = [];
    const usedFrom: Term[][] = Array.from({ length: n }, () => []);
    const fleet = supply.reduce((sum, vehicles) => sum + vehicles, 0);
    for (const [pair, terms] of firstMoves) {
      const z = column(firstPairs.costUnits, true);
      used.push([z, 1]);
      usedFrom[Number(pair.split(' ')[0])].push([z, 1]);
      rows.push({ lower: 0, upper: 1, terms: [[z, 1]] });
      rows.push({ lower: -infinity, upper: 0, terms: [...terms, [z, -fleet]] });
      rows.push({ lower: 0, upper: infinity, terms: [...terms, [z, -firstPairs.minVehicles]] });
    }
    rows.push({ lower: 0, upper: firstPairs.maxPairs, terms: used });
    for (const terms of usedFrom) rows.push({ lower: 0, upper: firstPairs.maxFrom, terms });
  }
  return { money, whole, rows, servedAt, present, spent, working };
}

/** What is required, if that can be; the most of each level, then of all demand, then the least cost. */
function wishAfterWish(
  { base: { n, demand, required }, levels }: RuledHorizon,
  money: number[],
  whole: boolean[],
  rows: Row[],
  servedAt: Term[][],
): Lexicographic | null {
  const infinity = Number.POSITIVE_INFINITY;
  const lower = money.map(() => 0);
  const upper = money.map(() => infinity);
  const at = (least_: number) =>
    servedAt.flatMap((terms, u) => ((levels?.[u % n] ?? 0) >= least_ ? terms : []));
  const wanted = [...new Set(Array.from(demand, (d, u) => (d > 0 ? (levels?.[u % n] ?? 0) : 0)))]
    .filter((level) => level > 0)
    .sort((a, b) => b - a);
  const served: number[] = [];
  const total = demand.reduce((a, b) => a + b, 0);
  if (
    !runProgramme(
      money.map(() => 0),
      lower,
      upper,
      whole,
      rows,
    )
  )
    return null;
  const most = (level: number) => {
    const cost = money.map(() => 0);
    for (const [c, share] of at(level)) cost[c] = -share;
    const solved = runProgramme(cost, lower, upper, whole, rows);
    if (!solved) throw new Error(`level ${level}`);
    return -solved.objective;
  };
  const ask = (level: number, amount: number) =>
    rows.push({ lower: amount - 1e-9 * total, upper: infinity, terms: at(level) });
  const stated = rows.length;
  const isReached = most(0) >= required - 1e-9 * total;
  if (isReached) ask(0, required);
  for (const level of wanted) {
    served.push(most(level));
    ask(level, served.at(-1)!);
  }
  served.push(most(0));
  if (!isReached) ask(0, served.at(-1)!);
  const cheapest = runProgramme(money, lower, upper, whole, rows);
  for (const row of rows.slice(stated)) row.lower -= 1e-7 * total;
  const least = runProgramme(money, lower, upper, whole, rows);
  if (!cheapest || !least) throw new Error('cost');
  return { served, isReached, objectiveUnits: cheapest.objective * 1e4, leastUnits: least.objective * 1e4 };
}
