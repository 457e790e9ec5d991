/**
 * Independent proof that a flow is cheapest: shares no code with the solver, reads only the problem, the moves and
 * the prices, and computes in exact integers.
 *
 * With α_i, β_j, λ ≥ 0 and λ + q_j − α_i − β_j ≤ c_ij on every allowed arc (staying included), every plan costs at
 * least λR + Σ (q_j − β_j) D_j − Σ α_i s_i (weak duality). The flow attains that bound exactly if it uses only arcs
 * without slack, leaves no vehicle idle where α_i > 0, leaves no demand unserved where β_j > 0, and serves no more than
 * R if λ > 0. O(arcs). Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §9.3 (complementary slackness).
 */
import type { FlowCosts, SparseCosts } from '../problem/distances/move-costs.ts';
import type { Check } from '../run/stopping.ts';
import { nextCheaper, nextUnderpriced, nextUnderpricedListed } from './next-cheaper.ts';
import type { SharedCosts } from './shared-costs.ts';
import type { Cover, Duals, Flow, FlowProblem } from './types.ts';

export type CertificateCheck = { ok: true; cost: number; served: number } | { ok: false; fault: string };

/** Rows of arcs between two looks at the clock: some milliseconds. */
const ROWS_PER_CHECK = 256;

/** If demand is at less than this share of the locations, visiting these is faster than reading rows in order. */
const FEW_SHARE = 0.25;

const fail = (fault: string): CertificateCheck => ({ ok: false, fault });

/**
 * Checks that the flow is feasible, that the prices are feasible, and that together they prove the optimum.
 * @param check called every few milliseconds; the proof ends with what it throws
 */
export function certify(
  problem: FlowProblem,
  flow: Flow,
  duals: Duals,
  check: Check = () => {},
): CertificateCheck {
  const plan = checkFlow(problem, flow);
  if (typeof plan === 'string') return fail(plan);
  return checkPrices(problem, duals, check) ?? checkSlackness(problem, flow, duals, plan);
}

type Plan = {
  cost: number;
  served: number;
  costs: Float64Array;
  /** Per location, vehicles that leave, and vehicles that arrive. */
  out: Float64Array;
  into: Float64Array;
};

function checkFlow(problem: FlowProblem, flow: Flow): Plan | string {
  const { n, supply, demand, required, unservedCost } = problem;
  const moved = new Float64Array(2 * n);
  const out = moved.subarray(0, n);
  const into = moved.subarray(n);
  const costs = new Float64Array(flow.units.length);
  if (flow.from.length !== flow.units.length || flow.to.length !== flow.units.length) {
    return 'the arrays of the flow differ in length';
  }
  let cost = 0;
  for (let m = 0; m < flow.units.length; m++) {
    const i = flow.from[m];
    const j = flow.to[m];
    if (!(i >= 0 && i < n && j >= 0 && j < n) || i === j)
      return `move ${m} does not lead between two locations`;
    if (!(flow.units[m] > 0)) return `move ${m} carries ${flow.units[m]} vehicles`;
    costs[m] = costOf(problem, i, j);
    if (costs[m] === Number.POSITIVE_INFINITY) return `move ${m} from ${i} to ${j} is not allowed`;
    cost += costs[m] * flow.units[m];
    out[i] += flow.units[m];
    into[j] += flow.units[m];
  }
  let served = 0;
  for (let i = 0; i < n; i++) {
    if (out[i] > supply[i]) return `${out[i]} vehicles leave location ${i}, which has ${supply[i]}`;
    const servedHere = Math.min(demand[i], supply[i] - out[i] + into[i]);
    served += servedHere;
    if (unservedCost) cost += unservedCost[i] * (demand[i] - servedHere);
  }
  if (served < required) return `${served} units are served, ${required} are required`;
  return { cost, served, costs, out, into };
}

function costOf({ n, cost }: FlowProblem, i: number, j: number): number {
  if (cost.kind === 'shared') {
    const [from, to] = [cost.row[i], cost.column[j]];
    const unscaled =
      from < 0 || to < 0 ? Number.POSITIVE_INFINITY : moveCost(cost.moves, cost.size, from, to);
    const moving = Math.floor(unscaled * factorOf(cost, i));
    return Math.min(from >= 0 && from === to ? 0 : moving, listedCost(cost.listed, i, j));
  }
  return moveCost(cost, n, i, j);
}

/** How many times what a move costs the arcs of source i cost. */
function factorOf({ factor }: SharedCosts, i: number): number {
  return factor === undefined ? 1 : factor[i];
}

function moveCost(costs: FlowCosts, n: number, i: number, j: number): number {
  if (costs.kind === 'sparse') return listedCost(costs, i, j);
  return costs.units[i * n + j] >= 0 ? costs.units[i * n + j] : Number.POSITIVE_INFINITY;
}

function listedCost({ starts, targets, units }: SparseCosts, i: number, j: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let a = starts[i]; a < starts[i + 1]; a++) {
    if (targets[a] === j && units[a] >= 0) least = Math.min(least, units[a]);
  }
  return least;
}

function checkPrices(problem: FlowProblem, duals: Duals, check: Check): CertificateCheck | null {
  const { n, supply, demand, unservedCost, cost: costs } = problem;
  const service = duals.service;
  if (!Number.isSafeInteger(service) || service < 0) return fail(`the multiplier of service is ${service}`);
  /** λ + q_j − β_j, the value of a vehicle at j, where it can bind. */
  const value = new Float64Array(n).fill(Number.NEGATIVE_INFINITY);
  let highest = 0;
  for (let i = 0; i < n; i++) {
    const alpha = duals.supply[i];
    const beta = duals.demand[i];
    if (!Number.isSafeInteger(alpha) || alpha < 0) return fail(`the price of a vehicle at ${i} is ${alpha}`);
    if (!Number.isSafeInteger(beta) || beta < 0) return fail(`the price of demand at ${i} is ${beta}`);
    const unserved = unservedCost?.[i] ?? 0;
    if (!Number.isSafeInteger(unserved) || unserved < 0)
      return fail(`unserved demand at ${i} costs ${unserved}`);
    if (demand[i] > 0) value[i] = service + unserved - beta;
    highest = Math.max(highest, value[i]);
    if (supply[i] > 0 && value[i] > alpha) return fail(`staying at ${i} is underpriced`);
  }
  const relief = value.map((worth) => highest - worth);
  const findUnderpriced = underpricedBy(costs, n, relief);
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_CHECK === ROWS_PER_CHECK - 1) check();
    if (supply[i] === 0) continue;
    const j = findUnderpriced(i, highest - duals.supply[i]);
    if (j >= 0) return fail(`the move from ${i} to ${j} costs less than the prices say`);
  }
  return null;
}

/** @returns the search for a target of i that costs less than an offer minus its relief; −1 if there is none */
function underpricedBy(costs: FlowProblem['cost'], n: number, relief: Float64Array) {
  if (costs.kind === 'shared') return underpricedInShared(costs, relief);
  if (costs.kind === 'sparse')
    return (i: number, offer: number) => underpricedInList(costs, i, offer, relief);
  const { units } = costs;
  const few = fewTargets(relief);
  if (few) return (i: number, offer: number) => underpricedAmong(units, i * n, few, i, offer, relief);
  return (i: number, offer: number) => underpricedInRow(units, i * n, n, i, offer, relief);
}

/** The targets that can be underpriced at all, if they are few; else null. */
function fewTargets(relief: Float64Array): Int32Array | null {
  const n = relief.length;
  let count = 0;
  for (let j = 0; j < n; j++) if (relief[j] !== Number.POSITIVE_INFINITY) count++;
  if (count >= FEW_SHARE * n) return null;
  const targets = new Int32Array(count);
  for (let j = 0, t = 0; j < n; j++) if (relief[j] !== Number.POSITIVE_INFINITY) targets[t++] = j;
  return targets;
}

/** The same as `underpricedInRow` for some targets. */
function underpricedAmong(
  units: Units,
  row: number,
  targets: Int32Array,
  i: number,
  most: number,
  relief: Float64Array,
): number {
  for (let t = 0; t < targets.length; t++) {
    const j = targets[t];
    if (units[row + j] < most - relief[j] && units[row + j] >= 0 && j !== i) return j;
  }
  return -1;
}

/**
 * Of the sinks at a location, the one of the least relief decides; staying there costs 0. The target found is a
 * location of the moves, or a listed one.
 */
function underpricedInShared(shared: SharedCosts, relief: Float64Array) {
  const { moves, size, row, column, listed } = shared;
  const least = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  for (let t = 0; t < column.length; t++) {
    if (column[t] >= 0) least[column[t]] = Math.min(least[column[t]], relief[t]);
  }
  return (i: number, offer: number): number => {
    const own = row[i];
    if (own >= 0) {
      if (offer - least[own] > 0) return own;
      const factor = factorOf(shared, i);
      const found =
        moves.kind === 'sparse'
          ? underpricedInList(moves, own, offer, least, factor)
          : factor === 1
            ? underpricedInRow(moves.units, own * size, size, own, offer, least)
            : underpricedInScaledRow(moves.units, own * size, size, own, offer, least, factor);
      if (found >= 0) return found;
    }
    return underpricedInList(listed, i, offer, relief);
  };
}

type Units = Float64Array | Int32Array;

/** Target of a move that costs less than `most − relief`, or −1. A negative cost forbids the move. */
function underpricedInRow(
  units: Units,
  row: number,
  n: number,
  i: number,
  most: number,
  relief: Float64Array,
): number {
  let j = nextUnderpriced(units, row, n, 0, most, relief);
  while (j < n && (j === i || !(units[row + j] >= 0))) {
    j = nextUnderpriced(units, row, n, j + 1, most, relief);
  }
  return j < n ? j : -1;
}

/**
 * The same, for costs multiplied by `factor` and rounded down. Relief is not negative, so one comparison rules out most
 * arcs.
 */
function underpricedInScaledRow(
  units: Units,
  row: number,
  n: number,
  i: number,
  most: number,
  relief: Float64Array,
  factor: number,
): number {
  const end = row + n;
  const below = (most + 2) / factor;
  for (let a = nextCheaper(units, row, end, below); a < end; a = nextCheaper(units, a + 1, end, below)) {
    const j = a - row;
    if (Math.floor(units[a] * factor) < most - relief[j] && units[a] >= 0 && j !== i) return j;
  }
  return -1;
}

function underpricedInList(
  { starts, targets, units }: SparseCosts,
  i: number,
  most: number,
  relief: Float64Array,
  factor = 1,
): number {
  const end = starts[i + 1];
  const next = (from: number) => nextUnderpricedListed(units, targets, from, end, most, relief, factor);
  let a = next(starts[i]);
  while (a < end && (targets[a] === i || !(units[a] >= 0))) a = next(a + 1);
  return a < end ? targets[a] : -1;
}

function checkSlackness(problem: FlowProblem, flow: Flow, duals: Duals, plan: Plan): CertificateCheck {
  const { n, supply, demand, required, unservedCost } = problem;
  const { service } = duals;
  const worthOf = (j: number) => service + (unservedCost?.[j] ?? 0);
  for (let m = 0; m < flow.units.length; m++) {
    const i = flow.from[m];
    const j = flow.to[m];
    if (plan.costs[m] + duals.supply[i] + duals.demand[j] !== worthOf(j)) {
      return fail(`the move from ${i} to ${j} costs more than the prices say`);
    }
  }
  for (let i = 0; i < n; i++) {
    const { out, into } = plan;
    if (into[i] > demand[i])
      return fail(`${into[i]} vehicles go to location ${i}, whose demand is ${demand[i]}`);
    const stay = Math.min(supply[i] - out[i], demand[i] - into[i]);
    if (stay > 0 && duals.supply[i] + duals.demand[i] !== worthOf(i))
      return fail(`serving at ${i} is not worth its price`);
    if (supply[i] > out[i] + stay && duals.supply[i] !== 0) return fail(`idle vehicles at ${i} have a price`);
    if (demand[i] > into[i] + stay && duals.demand[i] !== 0) return fail(`demand left at ${i} has a price`);
  }
  if (service > 0 && plan.served !== required)
    return fail('service has a price, but more is served than required');
  return { ok: true, cost: plan.cost, served: plan.served };
}

/**
 * Checks that no plan serves more than `served`. Each allowed arc (staying included) has an end in the cover, so each
 * unit served uses up a vehicle or a unit of demand in the cover, and the cover holds `served` of these.
 */
export function certifyMostServed(problem: FlowProblem, cover: Cover, served: number): boolean {
  const { n, supply, demand, cost } = problem;
  let total = 0;
  for (let i = 0; i < n; i++) {
    if (cover.sources[i] === 1) total += supply[i];
    if (cover.sinks[i] === 1) total += demand[i];
  }
  if (total !== served) return false;
  const isOpen = demand.map((amount, j) => (amount > 0 && cover.sinks[j] !== 1 ? 1 : 0));
  const openAt = new Int32Array(cost.kind === 'shared' ? cost.size : 0);
  if (cost.kind === 'shared') for (let j = 0; j < n; j++) if (isOpen[j] === 1) openAt[cost.column[j]] = 1;
  for (let i = 0; i < n; i++) {
    if (supply[i] === 0 || cover.sources[i] === 1) continue;
    if (isOpen[i] === 1) return false;
    if (cost.kind !== 'shared') {
      if (leadsToOpen(cost, n, i, isOpen)) return false;
      continue;
    }
    const from = cost.row[i];
    if (from >= 0 && (openAt[from] === 1 || leadsToOpen(cost.moves, cost.size, from, openAt))) return false;
    if (leadsToOpen(cost.listed, n, i, isOpen)) return false;
  }
  return true;
}

function leadsToOpen(costs: FlowCosts, n: number, i: number, isOpen: Int32Array): boolean {
  const first = costs.kind === 'dense' ? i * n : costs.starts[i];
  const end = costs.kind === 'dense' ? first + n : costs.starts[i + 1];
  for (let a = first; a < end; a++) {
    const j = costs.kind === 'dense' ? a - first : costs.targets[a];
    if (isOpen[j] === 1 && costs.units[a] >= 0 && costs.units[a] !== Number.POSITIVE_INFINITY) return true;
  }
  return false;
}
