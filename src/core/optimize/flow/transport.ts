/**
 * Balanced transportation problems: every source is emptied, every sink is filled, at the least cost over the allowed
 * arcs. Rules of one class and whole loads beyond the pure flow take this form: bounds per location (`place-flow.ts`)
 * have sources "vehicles at i", "unserved" and "empty", and sinks "serves at j" and "stands at j".
 *
 * Sources and sinks become locations of a flow problem that requires all units. So the network simplex, its
 * certificate on all arcs and the confirmation by HiGHS hold as they are. A source and its home are one location: the
 * units that stay are netted (`netting.ts`).
 */
import type { FlowCosts, SparseCosts } from '../problem/distances/move-costs.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { confirmFlow } from './flow-confirm.ts';
import { MAX_UNITS } from './load-amounts.ts';
import type { SharedCosts } from './shared-costs.ts';
import { solveFlow, totalUnits } from './solve-flow.ts';
import type { Cover, Flow, FlowCounts, FlowProblem } from './types.ts';

export type Transport = {
  /** Whole units at each source, and whole units that each sink takes, ≥ 0; the sums are equal, at most MAX_UNITS. */
  sources: Int32Array;
  sinks: Int32Array;
  /** Arcs between locations; absent: only the listed ones. */
  moves?: MoveArcs;
  /** More arcs by source: the sinks of source s are at `starts[s]` up to `starts[s + 1]`; the cheapest one counts. */
  listed: SparseCosts;
  /**
   * Per source a sink that no other source has, to which its units go at cost 0, −1: none. Its units are likely to go
   * there first, up to all that fit: that is where the search starts. Absent: no source has one.
   */
  homes?: Int32Array | undefined;
};

/**
 * Arcs at the costs of moves: source s reaches every sink t with `column[t]` ≥ 0 to which a move from location
 * `row[s]` is allowed; its own location costs 0. A source without a location has the row −1.
 */
type MoveArcs = { costs: FlowCosts; row: Int32Array; column: Int32Array };

/**
 * Prices with `source[s] + sink[t] ≤ cost` on every arc between a source and a sink with units, and equality where
 * units flow; Σ source · units + Σ sink · units is the cost. In cost units. 0 where there are no units.
 */
type TransportDuals = { source: Float64Array; sink: Float64Array };

/** Units from source `from[m]` to sink `to[m]`, without those that go home: these fill what their sink has left. */
export type TransportOutcome =
  | {
      kind: 'solved';
      flow: Flow;
      cost: number;
      duals: TransportDuals;
      counts: FlowCounts;
      /** Iterations in which HiGHS confirmed the tree; null: time ran out first. */
      confirmedWithin: number | null;
    }
  /** `carried`: the most units that the arcs can carry. Every arc starts or ends in the cover, which proves it. */
  | { kind: 'infeasible'; carried: number; cover: Cover; counts: FlowCounts }
  /** By the flag or the deadline; with the best flow so far, if it carries all units. */
  | { kind: 'stopped'; plan: { flow: Flow; cost: number } | null; counts: FlowCounts };

/**
 * Solves to proved optimality.
 * @returns null if numbers are too large for exact sums, or a proof does not hold: other methods have to solve it
 * @throws RangeError if the sums differ
 */
export async function solveTransport(
  transport: Transport,
  control: SolveControl,
  cache: Cache,
): Promise<TransportOutcome | null> {
  const { sources, sinks } = transport;
  const total = totalUnits(sources);
  if (total !== totalUnits(sinks)) {
    throw new RangeError(`${total} units leave the sources, ${totalUnits(sinks)} enter the sinks`);
  }
  if (total > MAX_UNITS) return null;
  try {
    const nodes = nodesOfSinks(transport);
    const problem = asFlow(transport, nodes, total);
    const solved = solveFlow(problem, { ...control, nettingIsSafe: transport.homes !== undefined });
    if (solved.kind === 'stopped') {
      const plan = solved.plan && { flow: bySink(solved.plan.flow, nodes), cost: solved.plan.cost };
      return { ...solved, plan };
    }
    if (solved.kind === 'infeasible') {
      return { ...solved, carried: solved.served, cover: splitCover(solved.cover, sources.length, nodes) };
    }
    const confirmation = await confirmFlow(cache, problem, solved, control);
    if (confirmation.kind === 'contradicted') return null;
    return {
      kind: 'solved',
      flow: bySink(solved.flow, nodes),
      cost: solved.cost,
      duals: {
        source: solved.duals.supply
          .slice(0, sources.length)
          .map((price, s) => (sources[s] > 0 ? solved.duals.service - price : 0)),
        sink: Float64Array.from(nodes, (node) => 0 - solved.duals.demand[node]),
      },
      counts: solved.counts,
      confirmedWithin: confirmation.kind === 'confirmed' ? confirmation.iterations : null,
    };
  } catch {
    return null;
  }
}

/** The location of each sink: that of the source whose home it is, else S + t. Location s is source s. */
function nodesOfSinks({ sources, sinks, homes }: Transport): Int32Array {
  const nodes = Int32Array.from(sinks, (_, t) => sources.length + t);
  if (homes) for (let s = 0; s < homes.length; s++) if (homes[s] >= 0) nodes[homes[s]] = s;
  return nodes;
}

function asFlow(transport: Transport, nodes: Int32Array, required: number): FlowProblem {
  const { sources, sinks, moves, listed } = transport;
  const n = sources.length + sinks.length;
  const supply = new Int32Array(n);
  supply.set(sources);
  const demand = new Int32Array(n);
  for (let t = 0; t < sinks.length; t++) demand[nodes[t]] = sinks[t];
  const starts = new Int32Array(n + 1).fill(listed.targets.length);
  starts.set(listed.starts);
  const targets = listed.targets.map((t) => nodes[t]);
  const arcs: SparseCosts = { kind: 'sparse', starts, targets, units: listed.units };
  const cost = moves ? shareMoves(transport, nodes, moves, arcs) : arcs;
  return { n, supply, demand, required, cost };
}

function shareMoves(
  { sources, sinks }: Transport,
  nodes: Int32Array,
  moves: MoveArcs,
  listed: SparseCosts,
): SharedCosts {
  const n = sources.length + sinks.length;
  const row = new Int32Array(n).fill(-1);
  row.set(moves.row);
  const column = new Int32Array(n).fill(-1);
  for (let t = 0; t < sinks.length; t++) if (sinks[t] > 0) column[nodes[t]] = moves.column[t];
  const { costs } = moves;
  const size = costs.kind === 'dense' ? Math.sqrt(costs.units.length) : costs.starts.length - 1;
  return { kind: 'shared', moves: costs, size, row, column, listed };
}

function bySink({ from, to, units }: Flow, nodes: Int32Array): Flow {
  const sinkAt = new Map<number, number>();
  for (let t = 0; t < nodes.length; t++) sinkAt.set(nodes[t], t);
  return { from, to: to.map((node) => sinkAt.get(node)!), units };
}

function splitCover({ sources, sinks }: Cover, sourceCount: number, nodes: Int32Array): Cover {
  return { sources: sources.slice(0, sourceCount), sinks: Uint8Array.from(nodes, (node) => sinks[node]) };
}
