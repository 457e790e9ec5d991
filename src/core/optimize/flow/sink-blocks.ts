/**
 * Sinks in blocks of some dozens that cost about the same from everywhere, so that one comparison with the least cost
 * from a source to a block rules out all of its arcs.
 *
 * Coordinates are not needed: the costs from three sources far apart place a sink, as distances from three towers do.
 * Blocks come from halving at the median of the coordinate that spreads most. O(m log m).
 */
import type { Arrays } from './arrays.ts';

export type SinkBlocks = {
  count: number;
  /** count + 1: where the sinks of each block begin. */
  starts: Int32Array;
  /** Locations, by block. */
  sinks: Int32Array;
  /** n: where each sink stands in `sinks`. */
  places: Int32Array;
};

/**
 * Costs as passes over all arcs read them: of each source, in their order, those to the sinks as they stand in blocks,
 * and the least to each block. `forbidden` where there is no arc.
 */
export type BlockCosts = {
  costs: Int32Array | Float64Array;
  least: Int32Array | Float64Array;
  forbidden: number;
};

/** Costs that place a sink. */
const TOWERS = 3;
const MIN_BLOCK = 16;

/** @param units n × n, below 0 or infinite where there is no arc */
export function createSinkBlocks(
  arrays: Arrays,
  n: number,
  units: Float64Array | Int32Array,
  sources: Int32Array,
  sinks: Int32Array,
): SinkBlocks {
  const size = Math.max(MIN_BLOCK, Math.ceil(Math.sqrt(sinks.length)));
  let count = 1;
  while (sinks.length > count * size) count *= 2;
  const ordered = arrays.int32(sinks.length);
  ordered.set(sinks);
  const starts = arrays.int32(count + 1);
  starts[count] = sinks.length;
  if (count > 1) {
    halve(ordered, placesOf(n, units, sources, sinks), starts, 0, count);
  }
  const places = arrays.int32(n);
  for (let t = 0; t < ordered.length; t++) places[ordered[t]] = t;
  return { count, starts, sinks: ordered, places };
}

/** The costs of each location from every tower. */
function placesOf(
  n: number,
  units: Float64Array | Int32Array,
  sources: Int32Array,
  sinks: Int32Array,
): Float64Array[] {
  const places: Float64Array[] = [];
  /** The least cost from the towers so far. */
  const nearest = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  let tower = sources[0];
  for (let t = 0; t < TOWERS; t++) {
    const row = Float64Array.from(units.subarray(tower * n, tower * n + n));
    places.push(row);
    let far = sinks[0];
    for (let s = 0; s < sinks.length; s++) {
      const j = sinks[s];
      if (row[j] < 0 || row[j] === Number.POSITIVE_INFINITY) row[j] = Number.MAX_VALUE / 4;
      if (row[j] < nearest[j]) nearest[j] = row[j];
      if (nearest[j] > nearest[far]) far = j;
    }
    for (let s = 0; s < sources.length; s++) {
      const cost = units[sources[s] * n + far];
      if (cost >= 0 && cost < units[tower * n + far]) tower = sources[s];
    }
  }
  return places;
}

function halve(
  sinks: Int32Array,
  places: Float64Array[],
  starts: Int32Array,
  block: number,
  count: number,
): void {
  if (count === 1) return;
  const from = starts[block];
  const end = starts[block + count];
  let widest = places[0];
  let width = -1;
  for (const place of places) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let s = from; s < end; s++) {
      const value = place[sinks[s]];
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (high - low > width) {
      width = high - low;
      widest = place;
    }
  }
  const middle = (from + end) >> 1;
  select(sinks, widest, from, end - 1, middle);
  starts[block + count / 2] = middle;
  halve(sinks, places, starts, block, count / 2);
  halve(sinks, places, starts, block + count / 2, count / 2);
}

/** Puts the sink of rank `middle` there, nearer ones before it and farther ones after it. Expected O(end − from). */
function select(sinks: Int32Array, key: Float64Array, from: number, end: number, middle: number): void {
  let [low, high] = [from, end];
  while (low < high) {
    const pivot = key[sinks[(low + high) >> 1]];
    let [a, b] = [low, high];
    while (a <= b) {
      while (key[sinks[a]] < pivot) a++;
      while (key[sinks[b]] > pivot) b--;
      if (a > b) break;
      const held = sinks[a];
      sinks[a++] = sinks[b];
      sinks[b--] = held;
    }
    if (middle <= b) high = b;
    else if (middle >= a) low = a;
    else return;
  }
}

/** Half the memory where costs are below 2³¹. @param sinks ascending O(sources · sinks). */
export function costsByBlock(
  n: number,
  units: Float64Array | Int32Array,
  sources: Int32Array,
  sinks: Int32Array,
  blocks: SinkBlocks,
): BlockCosts {
  const cells = sources.length * sinks.length;
  const cellsOfLeast = sources.length * blocks.count;
  const small = { costs: new Int32Array(cells), least: new Int32Array(cellsOfLeast), forbidden: 2 ** 31 - 1 };
  if (fill(small, n, units, sources, sinks, blocks)) return small;
  const large = {
    costs: new Float64Array(cells),
    least: new Float64Array(cellsOfLeast),
    forbidden: Number.POSITIVE_INFINITY,
  };
  fill(large, n, units, sources, sinks, blocks);
  return large;
}

/** @returns false if a cost is too large */
function fill(
  { costs, least, forbidden }: BlockCosts,
  n: number,
  units: Float64Array | Int32Array,
  sources: Int32Array,
  sinks: Int32Array,
  { count, starts, places }: SinkBlocks,
): boolean {
  const m = sinks.length;
  for (let s = 0; s < sources.length; s++) {
    const i = sources[s];
    const row = i * n;
    const first = s * m;
    // In the order of memory, which is much faster to read.
    for (let t = 0; t < m; t++) {
      const j = sinks[t];
      const unit = units[row + j];
      if (unit >= forbidden && unit !== Number.POSITIVE_INFINITY) return false;
      costs[first + places[j]] = unit >= 0 && unit < forbidden && i !== j ? unit : forbidden;
    }
    for (let b = 0; b < count; b++) {
      let low = forbidden;
      for (let t = first + starts[b]; t < first + starts[b + 1]; t++) if (costs[t] < low) low = costs[t];
      least[s * count + b] = low;
    }
  }
  return true;
}
