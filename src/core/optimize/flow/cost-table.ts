/**
 * Costs as passes over all arcs read them: a row per source, and sinks in blocks of some dozens that stand together, so
 * that one comparison with the least cost from a source to a block rules out all of its arcs.
 *
 * Sources and sinks also stand in groups of a few, from which smaller problems are made (`coarse-guide.ts`); a block
 * is some groups.
 */
import type { Check } from '../run/stopping.ts';
import { halved, placesOf } from './halving.ts';

type SinkBlocks = {
  count: number;
  /** count + 1: where the sinks of each block begin. */
  starts: Int32Array;
  /** Locations, by block. */
  sinks: Int32Array;
};

/**
 * Costs as passes over all arcs read them: of each source, in their order, those to the sinks as they stand in blocks,
 * and the least to each block. `forbidden` where there is no arc.
 */
type BlockCosts = {
  costs: Int32Array | Float64Array;
  least: Int32Array | Float64Array;
  forbidden: number;
};

/** All arcs from some sources to some sinks. */
export type CostTable = {
  /** Locations in all. */
  n: number;
  /** By row of the table. */
  sources: Int32Array;
  blocks: SinkBlocks;
  costs: BlockCosts;
  /** null: with so few sources and sinks nobody asks for groups. */
  groups: Groups | null;
};

/**
 * Rows and columns in groups of at most GROUP_SIZE that stand together; the numbers of groups are powers of 2. The
 * rows of group g are `rows[rowStarts[g]]` up to `rows[rowStarts[g + 1]]`; columns are in the order of their groups.
 */
export type Groups = { rows: Int32Array; rowStarts: Int32Array; columnStarts: Int32Array };

/** A power of 2. */
export const GROUP_SIZE = 4;
/**
 * With fewer sources and sinks, the search is faster than what groups could tell it, and a plain copy of the costs
 * (`small-arcs.ts`) is made faster than a table.
 */
export const MIN_GROUPED = 300;

const MIN_BLOCK = 16;
/** Rows of a pass over all arcs between two looks at the clock: a millisecond or two for 5,000 sinks. */
export const ROWS_PER_LOOK = 64;

/**
 * O(sources · sinks).
 * @param units n × n, below 0 or infinite where there is no arc
 * @throws what `check` throws, which is called every few milliseconds
 */
export function createCostTable(
  n: number,
  units: Float64Array | Int32Array,
  sources: Int32Array,
  sinks: Int32Array,
  check: Check,
): CostTable {
  const places = placesOf(n, units, sources, sinks);
  const columns = halved(sinks, places, GROUP_SIZE);
  const blocks = { ...blockStarts(sinks.length, columns.starts), sinks: columns.ordered };
  return {
    n,
    sources,
    blocks,
    costs: costsByBlock(n, units, { sources, sinks, blocks, check }),
    groups: { ...groupRows(n, sources, places), columnStarts: columns.starts },
  };
}

function groupRows(n: number, sources: Int32Array, places: Float64Array[]) {
  const { ordered, starts } = halved(sources, places, GROUP_SIZE);
  const rowOf = new Int32Array(n);
  for (let s = 0; s < sources.length; s++) rowOf[sources[s]] = s;
  return { rows: ordered.map((i) => rowOf[i]), rowStarts: starts };
}

function blockSize(sinks: number): number {
  return Math.max(MIN_BLOCK, Math.ceil(Math.sqrt(sinks)));
}

/** The blocks of some sinks, each of as many groups. @param groupStarts their number is a power of 2 */
export function blockStarts(sinks: number, groupStarts: Int32Array) {
  const groups = groupStarts.length - 1;
  let count = 1;
  while (sinks > count * blockSize(sinks) && count < groups) count *= 2;
  return { count, starts: new Int32Array(count + 1).map((_, b) => groupStarts[(b * groups) / count]) };
}

/** The source of a table; `sinks` ascending. */
type Filling = { sources: Int32Array; sinks: Int32Array; blocks: SinkBlocks; check: Check };

/** Half the memory where costs are below 2³¹. O(sources · sinks). */
function costsByBlock(n: number, units: Float64Array | Int32Array, filling: Filling): BlockCosts {
  const { sources, sinks, blocks } = filling;
  const places = new Int32Array(n).fill(-1);
  for (let t = 0; t < sinks.length; t++) places[blocks.sinks[t]] = t;
  const cells = sources.length * sinks.length;
  const cellsOfLeast = sources.length * blocks.count;
  const small = { costs: new Int32Array(cells), least: new Int32Array(cellsOfLeast), forbidden: 2 ** 31 - 1 };
  if (fill(small, n, units, filling, places)) return small;
  const large = {
    costs: new Float64Array(cells),
    least: new Float64Array(cellsOfLeast),
    forbidden: Number.POSITIVE_INFINITY,
  };
  fill(large, n, units, filling, places);
  return large;
}

/** @param places n: where each sink stands in the blocks, −1: no sink @returns false if a cost is too large */
function fill(
  table: BlockCosts,
  n: number,
  units: Float64Array | Int32Array,
  { sources, sinks, blocks, check }: Filling,
  places: Int32Array,
): boolean {
  const { costs, forbidden } = table;
  const m = sinks.length;
  const placeOf = sinks.map((j) => places[j]);
  for (let s = 0; s < sources.length; s++) {
    if (s % ROWS_PER_LOOK === ROWS_PER_LOOK - 1) check();
    const i = sources[s];
    const row = i * n;
    const first = s * m;
    // In the order of memory, which is much faster to read.
    for (let t = 0; t < m; t++) {
      const unit = units[row + sinks[t]];
      const isArc = unit >= 0 && unit < forbidden;
      if (!isArc && unit >= forbidden && unit !== Number.POSITIVE_INFINITY) return false;
      costs[first + placeOf[t]] = isArc ? unit : forbidden;
    }
    if (places[i] >= 0) costs[first + places[i]] = forbidden;
    // While the row is in the processor's cache.
    setLeast(table, s, blocks);
  }
  return true;
}

/** Sets the least cost in each block of row s. */
export function setLeast(
  { costs, least, forbidden }: BlockCosts,
  s: number,
  { count, starts, sinks }: SinkBlocks,
): void {
  const first = s * sinks.length;
  for (let b = 0; b < count; b++) {
    const end = first + starts[b + 1];
    let low = forbidden;
    for (let t = first + starts[b]; t < end; t++) if (costs[t] < low) low = costs[t];
    least[s * count + b] = low;
  }
}

/** @param into count: the largest value of a sink in each block @param values by location */
export function highestOfBlocks(
  into: Float64Array,
  { count, starts, sinks }: SinkBlocks,
  values: Float64Array,
): void {
  for (let b = 0; b < count; b++) {
    let high = Number.NEGATIVE_INFINITY;
    for (let t = starts[b]; t < starts[b + 1]; t++) if (values[sinks[t]] > high) high = values[sinks[t]];
    into[b] = high;
  }
}
