/**
 * Balanced transportation problems: every source is emptied, every sink is filled, at the least cost over the allowed
 * arcs. Rules of one class and whole loads beyond the pure flow take this form: bounds per location (`place-flow.ts`)
 * have sources "vehicles at i", "unserved" and "empty", and sinks "serves at j" and "stands at j".
 *
 * Sources and sinks become separate locations of a flow problem that requires all units. So the network simplex, its
 * certificate on all arcs and the confirmation by HiGHS hold as they are.
 */
import type { DenseCosts, FlowCosts, SparseCosts } from '../problem/distances/move-costs.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { checkOf, OutOfTime } from '../run/stopping.ts';
import { confirmFlow } from './flow-confirm.ts';
import { forEachMove } from './flow-costs.ts';
import { MAX_UNITS } from './load-amounts.ts';
import { type SharedCosts, sinksByColumn } from './shared-costs.ts';
import { solveFlow, totalUnits } from './solve-flow.ts';
import type { Cover, Flow, FlowCounts, FlowProblem } from './types.ts';

/** Rows of arcs between two calls of the check. */
const ROWS_PER_LOOK = 64;

export type Transport = {
  /** Whole units at each source, and whole units that each sink takes, ≥ 0; the sums are equal, at most MAX_UNITS. */
  sources: Int32Array;
  sinks: Int32Array;
  /** Arcs between locations; absent: only the listed ones. */
  moves?: MoveArcs;
  /** More arcs by source: the sinks of source s are at `starts[s]` up to `starts[s + 1]`; the cheapest one counts. */
  listed: SparseCosts;
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

/** Units from source `from[m]` to sink `to[m]`, by source then sink. */
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
 * @throws OutOfTime while listing arcs, RangeError if the sums differ
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
    const problem = asFlow(transport, total, control);
    const solved = solveFlow(problem, { ...control, nettingIsSafe: false });
    if (solved.kind === 'stopped') {
      const plan = solved.plan && { flow: bySink(solved.plan.flow, sources.length), cost: solved.plan.cost };
      return { ...solved, plan };
    }
    if (solved.kind === 'infeasible') {
      return { ...solved, carried: solved.served, cover: splitCover(solved.cover, sources.length) };
    }
    const confirmation = await confirmFlow(cache, problem, solved, control);
    if (confirmation.kind === 'contradicted') return null;
    return {
      kind: 'solved',
      flow: bySink(solved.flow, sources.length),
      cost: solved.cost,
      duals: {
        source: solved.duals.supply
          .slice(0, sources.length)
          .map((price, s) => (sources[s] > 0 ? solved.duals.service - price : 0)),
        sink: solved.duals.demand.slice(sources.length).map((price) => 0 - price),
      },
      counts: solved.counts,
      confirmedWithin: confirmation.kind === 'confirmed' ? confirmation.iterations : null,
    };
  } catch (error) {
    if (error instanceof OutOfTime) throw error;
    return null;
  }
}

/** Location s is source s, location S + t is sink t. */
function asFlow(transport: Transport, required: number, control: SolveControl): FlowProblem {
  const { sources, sinks, moves } = transport;
  const n = sources.length + sinks.length;
  const supply = new Int32Array(n);
  supply.set(sources);
  const demand = new Int32Array(n);
  demand.set(sinks, sources.length);
  const cost =
    moves?.costs.kind === 'dense'
      ? shareMatrix(transport, moves.costs, moves)
      : listArcs(transport, checkOf(control));
  return { n, supply, demand, required, cost };
}

function shareMatrix(
  { sources, sinks, listed }: Transport,
  matrix: DenseCosts,
  moves: MoveArcs,
): SharedCosts {
  const n = sources.length + sinks.length;
  const row = new Int32Array(n).fill(-1);
  row.set(moves.row);
  const column = new Int32Array(n).fill(-1);
  for (let t = 0; t < sinks.length; t++) if (sinks[t] > 0) column[sources.length + t] = moves.column[t];
  const starts = new Int32Array(n + 1).fill(listed.targets.length);
  starts.set(listed.starts);
  const targets = listed.targets.map((t) => sources.length + t);
  return {
    kind: 'shared',
    matrix,
    size: Math.sqrt(matrix.units.length),
    row,
    column,
    listed: { kind: 'sparse', starts, targets, units: listed.units },
  };
}

function listArcs({ sources, sinks, moves, listed }: Transport, check: () => void): SparseCosts {
  const n = sources.length + sinks.length;
  const starts = new Int32Array(n + 1);
  const arcs = createArcList(16 * n);
  const size = moves?.costs.kind === 'sparse' ? moves.costs.starts.length - 1 : 0;
  const sinksAt = moves ? sinksByColumn(moves.column, size) : null;
  for (let s = 0; s < sources.length; s++) {
    if (s % ROWS_PER_LOOK === 0) check();
    if (sources[s] > 0) {
      for (let a = listed.starts[s]; a < listed.starts[s + 1]; a++) {
        if (sinks[listed.targets[a]] > 0) arcs.add(sources.length + listed.targets[a], listed.units[a]);
      }
      if (moves && sinksAt && moves.row[s] >= 0) {
        const visit = (j: number, cost: number) => {
          for (let a = sinksAt.starts[j]; a < sinksAt.starts[j + 1]; a++) {
            if (sinks[sinksAt.sinks[a]] > 0) arcs.add(sources.length + sinksAt.sinks[a], cost);
          }
        };
        visit(moves.row[s], 0);
        forEachMove(moves.costs, moves.row[s], size, visit);
      }
    }
    starts[s + 1] = arcs.count();
  }
  starts.fill(arcs.count(), sources.length + 1);
  return { kind: 'sparse', starts, ...arcs.read() };
}

function createArcList(room: number) {
  let targets = new Int32Array(room);
  let units = new Float64Array(room);
  let count = 0;
  return {
    count: () => count,
    add(target: number, cost: number): void {
      if (count === targets.length) {
        const [olderTargets, olderUnits] = [targets, units];
        targets = new Int32Array(2 * count);
        targets.set(olderTargets);
        units = new Float64Array(2 * count);
        units.set(olderUnits);
      }
      targets[count] = target;
      units[count++] = cost;
    },
    read: () => ({ targets: targets.subarray(0, count), units: units.subarray(0, count) }),
  };
}

function bySink({ from, to, units }: Flow, sourceCount: number): Flow {
  return { from, to: to.map((location) => location - sourceCount), units };
}

function splitCover({ sources, sinks }: Cover, sourceCount: number): Cover {
  return { sources: sources.slice(0, sourceCount), sinks: sinks.slice(sourceCount) };
}
