/**
 * Prices near the optimum before the search: from a problem in which each group of some sources, or sinks, that stand
 * together is a single one, at the costs of its member in the middle. If vehicles cross the town, the nearest arcs say
 * little about the optimum; reduced costs at these prices say much.
 *
 * The smaller problem is solved in the same way, from the prices of a still smaller one. The guide only orders arcs:
 * the search after it prices all of them. O(sources · sinks / GROUP_SIZE) and the search of the smaller problem.
 * Reference: Schmitzer, A sparse multiscale algorithm for dense optimal transport (2016).
 */
import { checkOf, untilOutOfTime } from '../run/stopping.ts';
import type { GuidePrices } from './arc-set.ts';
import { type Candidates, createCandidates, orderByCost } from './candidates.ts';
import { blockStarts, type CostTable, GROUP_SIZE, type Groups, MIN_GROUPED, setLeast } from './cost-table.ts';
import { artificialFlow, pivotToOptimum, type SimplexSearch } from './network-simplex.ts';
import { createSpanningTree, type SpanningTree, sinkNode, slackNode } from './spanning-tree.ts';
import { type Amounts, startTree } from './start-tree.ts';
import { createTableArcs } from './table-arcs.ts';

/** Cheapest arcs of each group that show whether vehicles find demand nearby. */
const NEARBY = 3;
/** Cheapest arcs of each group in the initial candidates of the smaller problem. */
const NEAREST = 6;

/**
 * @returns null if vehicles find enough demand nearby, if unserved demand has a cost, if the table has no groups, or if
 * the stop flag or the deadline ended the search
 */
export function coarseGuide(
  table: CostTable,
  amounts: Amounts,
  search: Pick<SimplexSearch, 'control' | 'counts'>,
): GuidePrices | null {
  const { groups } = table;
  if (!groups || amounts.unservedCost) return null;
  let guide: GuidePrices | null = null;
  untilOutOfTime(() => {
    if (isServedNearby(table, amounts, everyFourth(groups), search)) return;
    guide = guideFrom(table, groups, amounts, search);
  });
  return guide;
}

/** @throws OutOfTime */
function guideFrom(
  table: CostTable,
  groups: Groups,
  amounts: Amounts,
  { control, counts }: Pick<SimplexSearch, 'control' | 'counts'>,
): GuidePrices | null {
  const { n } = table;
  const coarse = coarser(table, groups);
  const few = merge(table, groups, coarse, amounts);
  const arcs = createTableArcs(coarse);
  const list = createCandidates(10 * (few.sources.length + few.sinks.length));
  const tree = createSpanningTree(n);
  const search: SimplexSearch = {
    tree,
    list,
    arcs,
    counts: { pivots: 0, pricingRounds: 0, candidates: 0 },
    // Progress is that of the whole problem.
    control: { stopFlag: control.stopFlag, deadlineMs: control.deadlineMs, onLook: control.onLook },
  };
  const guide = coarse.groups ? guideFrom(coarse, coarse.groups, few, search) : null;
  const check = checkOf(control);
  arcs.addNearest(list, few.sources, few.sinks, NEAREST, check, guide);
  startTree(tree, few, list, arcs, check, guide);
  const isDone = pivotToOptimum(search, few.sources, few.sinks);
  counts.pivots += search.counts.pivots;
  return isDone && artificialFlow(tree) === 0 ? extend(tree, table, groups) : null;
}

/** The problem of the groups, of which `coarse` is the table. */
function merge(
  { n, sources, blocks }: CostTable,
  { rows, rowStarts, columnStarts }: Groups,
  coarse: CostTable,
  { supply, demand, required }: Amounts,
): Amounts {
  return {
    sources: coarse.sources,
    sinks: coarse.blocks.sinks,
    supply: summed(n, supply, rowStarts, (at) => sources[rows[at]]),
    demand: summed(n, demand, columnStarts, (at) => blocks.sinks[at]),
    required,
    unservedCost: undefined,
  };
}

/** Whether vehicles of groups find the demand that is required at the nearest groups. @throws OutOfTime */
function isServedNearby(
  table: CostTable,
  amounts: Amounts,
  groups: Groups,
  { control }: Pick<SimplexSearch, 'control'>,
): boolean {
  const coarse = coarser(table, groups);
  const few = merge(table, groups, coarse, amounts);
  const list = createCandidates(NEARBY * (few.sources.length + few.sinks.length));
  createTableArcs(coarse).addNearest(list, few.sources, few.sinks, NEARBY, checkOf(control));
  return unitsServed(list, few) >= few.required;
}

/** Four groups in one. */
function everyFourth({ rows, rowStarts, columnStarts }: Groups): Groups {
  const joined = (starts: Int32Array) => {
    const step = Math.min(4, starts.length - 1);
    return starts.filter((_, g) => g % step === 0);
  };
  return { rows, rowStarts: joined(rowStarts), columnStarts: joined(columnStarts) };
}

/** The table of the groups, each at the costs of its member in the middle. */
function coarser(
  { n, sources: all, blocks, costs: fine }: CostTable,
  { rows, rowStarts, columnStarts }: Groups,
): CostTable {
  const height = rowStarts.length - 1;
  const width = columnStarts.length - 1;
  const sources = new Int32Array(height);
  const sinks = new Int32Array(width);
  const columns = new Int32Array(width);
  for (let t = 0; t < width; t++) {
    columns[t] = middleOf(columnStarts, t);
    sinks[t] = blocks.sinks[columns[t]];
  }
  const everyColumn = new Int32Array(width + 1).map((_, t) => t);
  const coarseBlocks = { ...blockStarts(width, everyColumn), sinks };
  const costs = {
    costs: fine.costs.slice(0, height * width),
    least: fine.least.slice(0, height * coarseBlocks.count),
    forbidden: fine.forbidden,
  };
  for (let s = 0; s < height; s++) {
    const row = rows[middleOf(rowStarts, s)];
    sources[s] = all[row];
    const from = row * blocks.sinks.length;
    for (let t = 0; t < width; t++) costs.costs[s * width + t] = fine.costs[from + columns[t]];
    setLeast(costs, s, coarseBlocks);
  }
  return {
    n,
    sources,
    blocks: coarseBlocks,
    costs,
    groups:
      height + width < MIN_GROUPED
        ? null
        : {
            rows: new Int32Array(height).map((_, s) => s),
            rowStarts: evenStarts(height),
            columnStarts: evenStarts(width),
          },
  };
}

function middleOf(starts: Int32Array, group: number): number {
  return (starts[group] + starts[group + 1]) >> 1;
}

/** The first element of each group of GROUP_SIZE. @param count a power of 2 */
function evenStarts(count: number): Int32Array {
  const size = Math.min(count, GROUP_SIZE);
  return new Int32Array(count / size + 1).map((_, g) => g * size);
}

/** The amounts of each group, at the location of its member in the middle. */
function summed(
  n: number,
  amounts: Float64Array,
  starts: Int32Array,
  locationAt: (at: number) => number,
): Float64Array {
  const sums = new Float64Array(n);
  for (let g = 0; g + 1 < starts.length; g++) {
    const middle = locationAt(middleOf(starts, g));
    for (let at = starts[g]; at < starts[g + 1]; at++) sums[middle] += amounts[locationAt(at)];
  }
  return sums;
}

/** The units that the arcs serve, the cheapest first. */
function unitsServed(list: Candidates, { supply, demand }: Amounts): number {
  const left = supply.slice();
  const open = demand.slice();
  const firstSink = sinkNode(supply.length, 0);
  let served = 0;
  for (const a of orderByCost(list, list.count)) {
    const i = list.from[a];
    const j = list.to[a] - firstSink;
    const units = Math.min(left[i], open[j]);
    left[i] -= units;
    open[j] -= units;
    served += units;
  }
  return served;
}

/**
 * Prices of all sources and sinks from those of the groups: of a source, what the best group of sinks pays for a
 * vehicle, at least 0; of a sink, what the cheapest group of sources asks for one, at most what leaving demand unserved
 * costs.
 */
function extend(
  { potential }: SpanningTree,
  { n, sources, blocks: { sinks }, costs: { costs } }: CostTable,
  { rows, rowStarts, columnStarts }: Groups,
): GuidePrices {
  const width = columnStarts.length - 1;
  const guide: GuidePrices = { source: new Float64Array(n), sink: new Float64Array(n) };
  const columns = new Int32Array(width);
  const prices = new Float64Array(width);
  for (let t = 0; t < width; t++) {
    columns[t] = middleOf(columnStarts, t);
    prices[t] = potential[sinkNode(n, sinks[columns[t]])];
  }
  for (let s = 0; s < sources.length; s++) {
    const first = s * sinks.length;
    let most = 0;
    for (let t = 0; t < width; t++) {
      const gain = prices[t] - costs[first + columns[t]];
      if (gain > most) most = gain;
    }
    guide.source[sources[s]] = most;
  }
  const least = new Float64Array(sinks.length).fill(potential[slackNode(n)]);
  for (let g = 0; g + 1 < rowStarts.length; g++) {
    const row = rows[middleOf(rowStarts, g)];
    const own = potential[sources[row]];
    const first = row * sinks.length;
    for (let t = 0; t < sinks.length; t++) {
      const price = own + costs[first + t];
      if (price < least[t]) least[t] = price;
    }
  }
  for (let t = 0; t < sinks.length; t++) guide.sink[sinks[t]] = least[t];
  return guide;
}
