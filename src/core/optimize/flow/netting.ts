/**
 * Netting: vehicles first serve their own location, and only the rest is solved, from surplus to deficit locations,
 * with a quarter of the arcs and half of the nodes.
 *
 * Netting keeps the optimum if staying is free and costs satisfy the triangle inequality over the arcs present. If a
 * vehicle leaves i and another serves at i, sending the second to the first one's target is allowed and no dearer; if
 * demand at home is unserved, serving it is free. These conditions are not checked beforehand. Instead the result is
 * proved afterwards: the netted tree extends to a tree of the whole problem (each location's second node becomes a
 * child of its first by the stay arc, which carries flow; a balanced location becomes a child of the deficit location
 * that values its vehicles most, by an arc without flow), and its potentials must prove the optimum on all arcs. If
 * they do not, the simplex continues from that tree with all arcs.
 * Under the triangle inequality the proof always succeeds: potentials p then satisfy p_j − p_i ≤ c_ij (p_k = max_j
 * (p_j − c_kj)).
 * O(n), and O(n) more per balanced location.
 */
import type { ArcSet } from './arc-set.ts';
import { addCandidate, type Candidates } from './candidates.ts';
import { attach, idleNode, layOut, type SpanningTree, sinkNode } from './spanning-tree.ts';
import { type Amounts, addSlackArcs } from './start-tree.ts';
import type { FlowProblem } from './types.ts';

/** Every location with vehicles is a source, every location with demand a sink. */
export function plainAmounts({ n, supply, demand, required, unservedCost }: FlowProblem): Amounts {
  return {
    sources: locationsWhere(n, (i) => supply[i] > 0),
    sinks: locationsWhere(n, (j) => demand[j] > 0),
    supply: doubles(supply),
    demand: doubles(demand),
    required,
    unservedCost,
  };
}

/** Surplus and deficit after every location has served itself. */
export function nettedAmounts({ n, supply, demand, required, unservedCost }: FlowProblem): Amounts {
  const surplus = new Float64Array(n);
  const deficit = new Float64Array(n);
  let served = 0;
  for (let i = 0; i < n; i++) {
    const own = Math.min(supply[i], demand[i]);
    surplus[i] = supply[i] - own;
    deficit[i] = demand[i] - own;
    served += own;
  }
  return {
    sources: locationsWhere(n, (i) => surplus[i] > 0),
    sinks: locationsWhere(n, (j) => deficit[j] > 0),
    supply: surplus,
    demand: deficit,
    required: required - served,
    unservedCost,
  };
}

/** Extends an optimal tree of the netted problem to one of the whole problem. */
export function undoNetting(
  problem: FlowProblem,
  tree: SpanningTree,
  list: Candidates,
  arcs: ArcSet,
  bigM: number | null,
): void {
  const { n, supply, demand } = problem;
  const { potential } = tree;
  const newSources = new Int32Array(n);
  const newSinks = new Int32Array(n);
  let sourceCount = 0;
  let sinkCount = 0;
  for (let i = 0; i < n; i++) {
    const sink = sinkNode(n, i);
    if (supply[i] === 0 || demand[i] === 0) continue;
    if (supply[i] === demand[i]) {
      let best = 0;
      let parent = idleNode(n);
      let cost = 0;
      arcs.forEachInRow(i, (j, units) => {
        const value = potential[sinkNode(n, j)] - units;
        if (value > best) {
          best = value;
          parent = sinkNode(n, j);
          cost = units;
        }
      });
      attach(tree, i, parent, 0, cost);
    }
    if (supply[i] < demand[i]) {
      attach(tree, i, sink, supply[i], 0);
      newSources[sourceCount++] = i;
    } else {
      attach(tree, sink, i, demand[i], 0);
      newSinks[sinkCount++] = i;
      if (supply[i] === demand[i]) newSources[sourceCount++] = i;
    }
  }
  layOut(tree);
  const added = {
    sources: newSources.subarray(0, sourceCount),
    sinks: newSinks.subarray(0, sinkCount),
    unservedCost: problem.unservedCost,
  };
  addSlackArcs(list, n, added, bigM);
  addStayArcs(list, problem);
}

/** Adds the arc "serve where you are" for every location with vehicles and demand. */
export function addStayArcs(list: Candidates, { n, supply, demand }: FlowProblem): void {
  for (let i = 0; i < n; i++) {
    if (supply[i] > 0 && demand[i] > 0) addCandidate(list, i, sinkNode(n, i), 0);
  }
}

function doubles(values: Int32Array): Float64Array {
  const copy = new Float64Array(values.length);
  copy.set(values);
  return copy;
}

function locationsWhere(n: number, holds: (i: number) => boolean): Int32Array {
  const found = new Int32Array(n);
  let count = 0;
  for (let i = 0; i < n; i++) if (holds(i)) found[count++] = i;
  return found.subarray(0, count);
}
