/**
 * A start for the programme of many steps (`flow-master.ts`). From the plan in which nobody moves it takes many times
 * as many iterations, and each of them is dear. So the steps are halved down to ranges of a few. The first half is
 * planned alone, then the second from where the first leaves the vehicles. The bases of both are one of the whole
 * range, from which it is planned in turn, over the columns that they use. A half knows nothing of what comes after it;
 * the join repairs that.
 *
 * A required service level couples all steps: ranges have a price of unmet demand in its place. The closer it is to the
 * multiplier of the level, the less is left to repair. It is doubled until ranges of a few steps serve almost enough.
 */
import { type SolverModel, withSolverModel } from '../highs/highs.ts';
import type { LinearBasis } from '../highs/solver-model.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { isOver } from '../run/stopping.ts';
import { partsOfNodes } from './demand-parts.ts';
import {
  addFlowColumns,
  createFlowMaster,
  type FlowColumn,
  type FlowMaster,
  type FlowStart,
  type MoveColumn,
  readPoint,
} from './flow-master.ts';
import { type FlowsCounts, type Generated, generate } from './generate-moves.ts';
import { measureHorizon } from './horizon-figures.ts';
import { type HorizonProblem, latestArrival, type StepMoves } from './types.ts';

/** Ranges of up to so many steps are not halved, and horizons of up to twice as many are planned at once. */
const SHORTEST = 3;

/** The first price of unmet demand, and each is a power of two of it up to 1, in dearest moves per load. */
const FIRST_PRICE = 1 / 32;

/** Share of demand that ranges of a few steps leave at a price and all steps serve: 3 to 10 % in the cities tried. */
const MYOPIA = 0.06;

const STATUS = { lower: 0, basic: 1 } as const;

type RangesControl = {
  control: SolveControl;
  counts: FlowsCounts;
  cache: Cache;
  tolerance: number;
  /** Money per unit of demand that is short of a service level. */
  shortPrice: number;
};

type RangesSearch = RangesControl & {
  /** With a price in place of a service level. */
  problem: HorizonProblem;
  known: readonly MoveColumn[];
  required: number;
  /** Plans of the ranges so far, in order. */
  drafts: Draft[];
};

type Draft = { from: number; moves: StepMoves };

/** A range that is planned. */
type Range = {
  start: FlowStart;
  served: number;
  /** n: vehicles at the end. */
  left: Float64Array;
};

/**
 * @returns a start, null if time was up or the steps are too few; the price of unmet demand in place of a level, cost
 *   units, 0 without one; and moves of the ranges that were planned, fractional
 */
export async function startFromRanges(
  problem: HorizonProblem,
  known: readonly MoveColumn[],
  run: RangesControl,
): Promise<{ start: FlowStart | null; worth: number; moves: StepMoves }> {
  const { n, steps, required, unmetUnits, demand, supply } = problem;
  const drafts: Draft[] = [];
  if (steps <= 2 * SHORTEST) return { start: null, worth: 0, moves: joinDrafts(drafts) };
  const searchAt = (worth: number): RangesSearch => {
    const priced = Float64Array.from(demand, (_, u) => worth + (unmetUnits?.[u] ?? 0));
    return { ...run, problem: { ...problem, unmetUnits: priced }, known, required, drafts };
  };
  const worth = required > 0 ? await worthOfLevel(problem, run, searchAt) : 0;
  const start = await startOfRange(searchAt(worth), 0, steps, supply.subarray(0, n));
  return { start, worth, moves: joinDrafts(drafts) };
}

/** A price in place of a service level, at which ranges serve enough. */
async function worthOfLevel(
  problem: HorizonProblem,
  run: RangesControl,
  searchAt: (worth: number) => RangesSearch,
): Promise<number> {
  const { required, demand, pairs, capacity } = problem;
  const dearest = pairs.units.reduce((most, units) => Math.max(most, units), 1);
  const mostWorth = dearest / capacity;
  let worth = mostWorth * FIRST_PRICE;
  const enough = required - MYOPIA * demand.reduce((sum, wanted) => sum + wanted, 0);
  while (worth < mostWorth) {
    if ((await servedInSteps(searchAt(worth))) >= enough || isOver(run.control)) break;
    worth *= 2;
  }
  return worth;
}

/** What ranges of a few steps serve, one after the other. */
async function servedInSteps(search: RangesSearch): Promise<number> {
  const { n, steps, supply } = search.problem;
  let present: ArrayLike<number> = supply.subarray(0, n);
  let served = 0;
  for (let from = 0; from < steps; from += SHORTEST) {
    const range = await planRange(search, from, Math.min(steps, from + SHORTEST), present);
    if (!range) break;
    served += range.served;
    present = range.left;
  }
  return served;
}

/** The start of a range from its halves. @param present n vehicles when it begins */
async function startOfRange(
  search: RangesSearch,
  from: number,
  to: number,
  present: ArrayLike<number>,
): Promise<FlowStart | null> {
  const middle = from + Math.ceil((to - from) / 2);
  const first = await planRange(search, from, middle, present);
  const second = first && (await planRange(search, middle, to, first.left));
  return first && second && joinRanges(search, { from, middle, to, first, second });
}

async function planRange(
  search: RangesSearch,
  from: number,
  to: number,
  present: ArrayLike<number>,
): Promise<Range | null> {
  const { control, drafts } = search;
  const start = to - from > SHORTEST ? await startOfRange(search, from, to, present) : null;
  if (isOver(control) || (to - from > SHORTEST && !start)) return null;
  const range = rangeOf(search, from, to, present);
  const known = search.known
    .filter(({ step }) => step >= from && step < to)
    .map(({ step, arc }) => ({ step: step - from, arc }));
  // No demand is required, so none is short at any price.
  const master = createFlowMaster(range, fromUnits(1));
  const { isOptimal, point, basis } = await generateFrom(search, master, start, known);
  if (!point || (!isOptimal && start)) return null;
  const { moves, serving } = readPoint(master, point, 0);
  const figures = measureHorizon(range, moves, serving);
  // Until now the range was planned in parts.
  const parts = drafts.findIndex((draft) => draft.from >= from);
  if (parts >= 0) drafts.splice(parts);
  drafts.push({ from, moves });
  if (!isOptimal || !basis || typeof figures === 'string') return null;
  return {
    start: onlyUsed(master, basis),
    served: figures.totalServed,
    left: figures.vehicles.slice((to - from) * range.n),
  };
}

/** A basis over its own columns. The others slow every iteration of a join, which generates anew those it needs. */
function onlyUsed({ added, firstAdded }: FlowMaster, { columnStatus, rowStatus }: LinearBasis): FlowStart {
  const isUsed = (k: number) => columnStatus[firstAdded + k] !== STATUS.lower;
  return {
    added: added.filter((_, k) => isUsed(k)),
    firstAdded,
    columnStatus: Int32Array.from([
      ...columnStatus.subarray(0, firstAdded),
      ...columnStatus.subarray(firstAdded).filter((_, k) => isUsed(k)),
    ]),
    rowStatus,
  };
}

/** Columns of a programme whose bound is not asked for. */
function generateFrom(
  { control, counts, cache, tolerance }: RangesControl,
  master: FlowMaster,
  start: FlowStart | null,
  known: readonly MoveColumn[],
): Promise<Generated> {
  const run = { deadlineMs: control.deadlineMs, stopFlag: control.stopFlag, onLook: control.onLook };
  return withSolverModel<Generated>(cache, master.model, tolerance, run, (model) => {
    setStart(master, model, start, known);
    return generate({ master, control, counts }, model, null, 0);
  });
}

/** Steps of a problem, from `from` up to `to`, without a service level. */
function rangeOf(
  { problem }: RangesSearch,
  from: number,
  to: number,
  present: ArrayLike<number>,
): HorizonProblem {
  const { n, steps, supply, demand, parts, unmetUnits, flows, endUnits } = problem;
  const fractional = Float64Array.from(supply.subarray(from * n, to * n));
  for (let j = 0; j < n; j++) fractional[j] = present[j] + (from > 0 ? fractional[j] : 0);
  return {
    ...problem,
    steps: to - from,
    // The programme takes any numbers; only those of a request are whole.
    supply: fractional as unknown as Int32Array,
    demand: demand.subarray(from * n, to * n),
    parts: parts && partsOfNodes(parts, from * n, to * n),
    unmetUnits: unmetUnits?.subarray(from * n, to * n),
    // Without a lower bound, so that its row is always basic.
    required: Number.NEGATIVE_INFINITY,
    endUnits: to === steps ? endUnits : undefined,
    flows: flows?.slice(from, to),
  };
}

/**
 * The bases of two halves as one, column by column and row by row in the order of `flow-master.ts`.
 * @returns null if they are none
 */
function joinRanges(
  { problem: { n, steps, endUnits }, required }: RangesSearch,
  {
    from,
    middle,
    to,
    first,
    second,
  }: { from: number; middle: number; to: number; first: Range; second: Range },
): FlowStart | null {
  const { start: a } = first;
  const { start: b } = second;
  const size = (to - from) * n;
  const firstSize = (middle - from) * n;
  const secondSize = size - firstSize;
  const ends = to === steps && endUnits ? n : 0;
  const later = b.added.map(
    (column): FlowColumn =>
      'arc' in column
        ? { step: column.step + middle - from, arc: column.arc }
        : { part: column.part, node: column.node + firstSize },
  );
  const added = [...a.added, ...later];
  // At the price of the ranges, what they serve together is short of the level, or above it.
  const isLevel = to - from === steps && required > 0;
  const isShort = first.served + second.served < required;
  const columnStatus = Int32Array.from([
    ...a.columnStatus.subarray(0, firstSize),
    ...b.columnStatus.subarray(0, secondSize + ends),
    isLevel && isShort ? STATUS.basic : STATUS.lower,
    isLevel && !isShort ? STATUS.basic : STATUS.lower,
    ...statusOfAdded(a),
    ...statusOfAdded(b),
  ]);
  const rowStatus = Int32Array.from([
    ...a.rowStatus.subarray(0, firstSize),
    ...b.rowStatus.subarray(0, secondSize + ends),
    isLevel ? STATUS.lower : STATUS.basic,
  ]);
  const basic = [...columnStatus, ...rowStatus].filter((status) => status === STATUS.basic).length;
  if (basic !== rowStatus.length) return null;
  return { added, firstAdded: columnStatus.length - added.length, columnStatus, rowStatus };
}

function statusOfAdded({ columnStatus, firstAdded, added }: FlowStart): Int32Array {
  return columnStatus.subarray(firstAdded, firstAdded + added.length);
}

/** Moves of ranges, in the steps of the problem. */
function joinDrafts(drafts: readonly Draft[]): StepMoves {
  const step = drafts.flatMap(({ from, moves }) => Array.from(moves.step, (t) => t + from));
  return {
    step: Int32Array.from(step),
    from: Int32Array.from(drafts.flatMap(({ moves }) => [...moves.from])),
    to: Int32Array.from(drafts.flatMap(({ moves }) => [...moves.to])),
    vehicles: Float64Array.from(drafts.flatMap(({ moves }) => [...moves.vehicles])),
  };
}

/** Columns and basis of a start, or of the plan in which nobody moves; and columns of the other known moves. */
export function setStart(
  master: FlowMaster,
  model: SolverModel,
  start: FlowStart | null,
  known: readonly MoveColumn[],
): void {
  const { problem, isMove } = master;
  const latest = latestArrival(problem);
  const { added, columnStatus: kept, rowStatus } = start ?? master.start;
  addFlowColumns(master, model, added);
  const pairs = problem.pairs.targets.length;
  const others = known.filter(
    ({ step, arc }) => step + problem.pairs.delay[arc] <= latest && isMove[step * pairs + arc] === 0,
  );
  if (others.length > 0) addFlowColumns(master, model, others);
  const columnStatus = new Int32Array(master.firstAdded + master.added.length);
  columnStatus.set(kept.subarray(0, master.firstAdded + added.length));
  model.setBasis(columnStatus, rowStatus);
}
