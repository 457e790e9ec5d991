/**
 * The cheapest flow, exactly, with its proof. The steps: test whether no vehicle has to move; if vehicles cross
 * the town, prices of a smaller problem; greedy tree on candidate arcs, netted first; simplex on the candidates, then
 * on all arcs; certificate on all arcs, by separate code.
 *
 * Transportation form, with F = Σ s vehicles, R required, all arcs without bounds:
 *   sources: s_i, and ΣD − R of demand that is not served; sinks: D_j, and F − R vehicles that serve nobody;
 *   arcs: i → j at c_ij (staying: 0), unserved → j at q_j, i → nobody and unserved → nobody at 0.
 * Flow from "unserved" to "nobody" is demand served beyond R. The flows are therefore the plans of the model, because
 * vehicles that serve nobody stay at no cost.
 *
 * Complexity: pivots of O(n) each at worst, measured 0.5–2 n of them in cities, 3–5 n if all vehicles cross the
 * town, and 1–6 passes over all arcs.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §11; Kovács, Minimum-cost flow algorithms (2015).
 */

import { checkOf, flagCheckOf, isStopped, OutOfTime } from '../run/stopping.ts';
import { createArcSet } from './arcs.ts';
import { createCandidates } from './candidates.ts';
import { type CertificateCheck, certify, certifyMostServed } from './certify.ts';
import { coarseGuide } from './coarse-guide.ts';
import { addStayArcs, nettedAmounts, plainAmounts, undoNetting } from './netting.ts';
import { artificialFlow, pivotToOptimum, report, type SimplexSearch, treeCost } from './network-simplex.ts';
import {
  NO_ALTERNATIVES,
  NO_FLOW,
  noPrices,
  readAlternatives,
  readBasis,
  readCover,
  readDuals,
  readFlow,
  stayingBasis,
} from './read-tree.ts';
import { createSharedArcs } from './shared-costs.ts';
import { createSpanningTree, type SpanningTree } from './spanning-tree.ts';
import { type Amounts, startTree } from './start-tree.ts';
import type { Cover, FlowControl, FlowCounts, FlowOutcome, FlowProblem, SolvedFlow } from './types.ts';

/** Number of cheapest arcs per source and per sink in the initial candidates. */
const NEAREST = 6;
/** The same with a guide: that many more save passes over all arcs where the search takes many pivots. */
const NEAREST_GUIDED = 10;
/** Initial room for candidates per location: 7 are used if vehicles serve their own location first, else 10. */
const EXPECTED_CANDIDATES = 12;
/** Arcs per source, besides those of the tree, that HiGHS gets. The certificate has all of them. */
const ALTERNATIVES = 1;

type Answer = Pick<SolvedFlow, 'flow' | 'duals' | 'basis' | 'alternatives'>;

/**
 * Solves to proved optimality.
 * @returns `infeasible` with the proved maximum that can be served; `stopped` with the best plan so far
 * @throws RangeError if numbers are too large for exact sums, Error if an answer fails its certificate
 */
export function solveFlow(problem: FlowProblem, control: FlowControl = {}): FlowOutcome {
  const counts: FlowCounts = { pivots: 0, pricingRounds: 0, candidates: 0, method: 'plain' };
  try {
    return solveCounted(problem, control, counts);
  } catch (error) {
    if (error instanceof OutOfTime) return { kind: 'stopped', plan: null, counts };
    throw error;
  }
}

/** @throws OutOfTime before there is a tree */
function solveCounted(problem: FlowProblem, control: FlowControl, counts: FlowCounts): FlowOutcome {
  // Requires no more than the totals of vehicles and demand allow, so that the search ends with the most that can be
  // served.
  const reachable = Math.min(problem.required, totalUnits(problem.supply), totalUnits(problem.demand));
  const reduced = reachable < problem.required ? { ...problem, required: reachable } : problem;
  const netted = nettedAmounts(reduced);
  if (netted.required <= 0 && !problem.unservedCost) {
    counts.method = 'still';
    const answer = {
      flow: NO_FLOW,
      duals: noPrices(problem.n),
      basis: stayingBasis(problem),
      alternatives: NO_ALTERNATIVES,
    };
    return conclude(problem, reachable, null, answer, counts);
  }
  const isNetted = control.nettingIsSafe !== false;
  const start = isNetted ? netted : plainAmounts(reduced);
  const { search, bigM } = beginSearch(reduced, start, control, counts);
  const { tree, list, arcs } = search;
  const stopHere = () => stopped(tree, counts, reachable === problem.required);
  try {
    // Units that candidates leave unserved are likely to pass through other locations: only the whole problem has that.
    if (!pivotToOptimum(search, start.sources, start.sinks, isNetted)) return stopHere();
    if (isStopped(control.stopFlag)) return stopHere();
    // A plan that is found in time is proved, even if that takes some milliseconds more.
    const check = control.needsOptimum ? checkOf(control) : flagCheckOf(control);
    if (isNetted) {
      counts.method = 'netted';
      undoNetting(problem, tree, list, arcs, bigM);
      if (artificialFlow(tree) === 0) {
        const answer = readAnswer(search, problem);
        const proof = certify(reduced, answer.flow, answer.duals, check);
        if (proof.ok) return conclude(problem, reachable, tree, answer, counts, proof);
      }
      counts.method = 'netted_then_all';
      const { sources, sinks } = plainAmounts(reduced);
      if (!pivotToOptimum(search, sources, sinks)) return stopHere();
    }
    const answer = readAnswer(search, problem);
    const served = reachable - artificialFlow(tree);
    const proof = served < problem.required ? undefined : certify(problem, answer.flow, answer.duals, check);
    return conclude(problem, served, tree, answer, counts, proof);
  } catch (error) {
    if (error instanceof OutOfTime) return stopHere();
    throw error;
  }
}

/** A tree to pivot from. @throws OutOfTime by the stop flag, or in time if only the optimum is of use */
function beginSearch(
  problem: FlowProblem,
  start: Amounts,
  control: FlowControl,
  counts: FlowCounts,
): { search: SimplexSearch; bigM: number | null } {
  const { n, cost } = problem;
  const check = control.needsOptimum ? checkOf(control) : flagCheckOf(control);
  const isNetted = control.nettingIsSafe !== false;
  const tree = createSpanningTree(n);
  const list = createCandidates(EXPECTED_CANDIDATES * n);
  const arcs = cost.kind === 'shared' ? createSharedArcs(n, cost) : createArcSet(n, cost);
  const search: SimplexSearch = { tree, list, arcs, counts, control };
  const table = isNetted ? arcs.tableOf?.(start.sources, start.sinks, check) : undefined;
  const guide = table ? coarseGuide(table, start, search) : null;
  arcs.addNearest(list, start.sources, start.sinks, guide ? NEAREST_GUIDED : NEAREST, check, guide);
  check();
  if (!isNetted) addStayArcs(list, problem);
  const bigM = startTree(tree, start, list, arcs, check, guide);
  counts.candidates = list.count;
  report(search);
  return { search, bigM };
}

/** The outcome, after its proof has been checked; `proof` is that of the answer. */
function conclude(
  problem: FlowProblem,
  served: number,
  tree: SpanningTree | null,
  answer: Answer,
  counts: FlowCounts,
  proof?: CertificateCheck,
): FlowOutcome {
  if (served < problem.required) {
    const cover = coverOf(problem, served, tree);
    if (!certifyMostServed(problem, cover, served)) {
      throw new Error(`no proof that at most ${served} units of demand can be served`);
    }
    return { kind: 'infeasible', served, cover, counts };
  }
  const check = proof ?? certify(problem, answer.flow, answer.duals);
  if (!check.ok) throw new Error(`the flow fails its certificate: ${check.fault}`);
  return { kind: 'solved', ...answer, cost: check.cost, counts };
}

/** All vehicles or all demand, whichever is the limit. */
function coverOf(problem: FlowProblem, served: number, tree: SpanningTree | null): Cover {
  const { n, supply, demand } = problem;
  const cover = { sources: new Uint8Array(n), sinks: new Uint8Array(n) };
  if (served === totalUnits(supply)) cover.sources.fill(1);
  else if (served === totalUnits(demand)) cover.sinks.fill(1);
  else if (tree) return readCover(tree, problem);
  return cover;
}

function readAnswer({ tree, list }: SimplexSearch, problem: FlowProblem): Answer {
  const basis = readBasis(tree);
  return {
    flow: readFlow(basis),
    duals: readDuals(tree, problem),
    basis,
    alternatives: readAlternatives(tree, list, ALTERNATIVES),
  };
}

function stopped(tree: SpanningTree, counts: FlowCounts, isReachable: boolean): FlowOutcome {
  const isPlan = isReachable && artificialFlow(tree) === 0;
  return {
    kind: 'stopped',
    plan: isPlan ? { flow: readFlow(readBasis(tree)), cost: treeCost(tree) } : null,
    counts,
  };
}

/** Vehicles, or demand, of all locations. */
export function totalUnits(values: Int32Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
