import type { FlowProblem } from '../src/core/optimize/flow/types.ts';

/**
 * DIMACS minimum-cost flow files, as problems of the flow core.
 *
 * File: `c` comments; `p min NODES ARCS`; `n ID FLOW` (supply > 0, demand < 0); `a FROM TO LOW CAPACITY COST`.
 * Reference: DIMACS, The First Algorithm Implementation Challenge (1990–91), "min" format.
 *
 * The core has locations and moves, but no capacities and no transit nodes. Both are removed exactly: each arc (u, v)
 * of capacity k becomes a source of k units. Units that flow go to v at the arc's cost; the others go back to u free of
 * cost. Node v then takes what its outgoing arcs could carry, minus its supply:
 *   Σ_in x + Σ_out (k − x) = Σ_out k − b_v  ⇔  Σ_out x − Σ_in x = b_v.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §2.4, removing arc capacities.
 */
export type FlowNetwork = {
  nodes: number;
  /** supply of each node, 0-based */
  balance: number[];
  arcs: { from: number; to: number; low: number; capacity: number; cost: number }[];
};

/** Reads a file. @throws Error with the line that is malformed */
export function readDimacs(text: string): FlowNetwork {
  let network: FlowNetwork | undefined;
  let arcCount = 0;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [kind, ...fields] = line.trim().split(/\s+/);
    const fail = (why: string): never => {
      throw new Error(`line ${index + 1}: ${why}: ${line}`);
    };
    if (kind === '' || kind === 'c') continue;
    if (kind === 'p') {
      if (fields[0] !== 'min') fail('only problems of kind "min" are read');
      if (network) fail('there is a problem line already');
      const nodes = wholeNumber(fields[1]) ?? fail('the number of nodes is missing');
      arcCount = wholeNumber(fields[2]) ?? fail('the number of arcs is missing');
      if (nodes < 0 || arcCount < 0) fail('numbers of nodes and arcs are not negative');
      network = { nodes, balance: new Array(nodes).fill(0), arcs: [] };
      continue;
    }
    if (!network) return fail('the problem line "p min NODES ARCS" has to come first');
    const numbers = fields.map((field) => wholeNumber(field) ?? fail(`"${field}" is no whole number`));
    const node = (id: number) =>
      id >= 1 && id <= (network?.nodes ?? 0) ? id - 1 : fail(`there is no node ${id}`);
    if (kind === 'n' && numbers.length === 2) network.balance[node(numbers[0])] = numbers[1];
    else if (kind === 'a' && numbers.length === 5) {
      const [from, to, low, capacity, cost] = numbers;
      if (low < 0 || capacity < low) fail('bounds have to be 0 ≤ LOW ≤ CAPACITY');
      network.arcs.push({ from: node(from), to: node(to), low, capacity, cost });
    } else fail('not a line of the format');
  }
  if (!network) throw new Error('the file has no problem line');
  if (network.arcs.length !== arcCount)
    throw new Error(`the problem line says ${arcCount} arcs, the file has ${network.arcs.length}`);
  return network;
}

/** The core stores amounts in 32 bits. */
const MAX_UNITS = 2 ** 31 - 1;

/**
 * The transportation problem of a network, and the constant between its cost and the network's; or the reason why there
 * can be no flow.
 * @throws RangeError if amounts are too large for the core
 */
export function toFlowProblem(
  network: FlowNetwork,
): { kind: 'problem'; problem: FlowProblem; constant: number } | { kind: 'infeasible'; why: string } {
  const { nodes, arcs } = network;
  const surplus = network.balance.reduce((sum, units) => sum + units, 0);
  if (surplus !== 0)
    return { kind: 'infeasible', why: `supplies and demands of the nodes add up to ${surplus}, not to 0` };
  const need = network.balance.map((supply) => -supply);
  const supply = new Int32Array(nodes + arcs.length);
  const starts = new Int32Array(nodes + arcs.length + 1);
  const targets = new Int32Array(2 * arcs.length);
  const units = new Float64Array(2 * arcs.length);
  let constant = 0;
  arcs.forEach(({ from, to, low, capacity, cost }, a) => {
    // The lower bound must flow; the rest is optional.
    const free = capacity - low;
    constant += low * cost;
    need[from] += low;
    need[to] -= low;
    need[from] += free;
    supply[nodes + a] = free;
    // The units that do not flow pay for a negative cost: costs of the core are not negative.
    constant += Math.min(cost, 0) * free;
    targets.set([from, to], 2 * a);
    units.set([Math.max(-cost, 0), Math.max(cost, 0)], 2 * a);
  });
  for (let a = 0; a <= arcs.length; a++) starts[nodes + a] = 2 * a;
  const demand = new Int32Array(nodes + arcs.length);
  let required = 0;
  for (const [node, units] of need.entries()) {
    if (units < 0)
      return { kind: 'infeasible', why: `node ${node + 1} supplies more than its arcs can carry` };
    demand[node] = units;
    required += units;
  }
  if (required > MAX_UNITS)
    throw new RangeError(`capacities add up to ${required}, more than the ${MAX_UNITS} that are counted`);
  return {
    kind: 'problem',
    problem: {
      n: nodes + arcs.length,
      supply,
      demand,
      required,
      cost: { kind: 'sparse', starts, targets, units },
    },
    constant,
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[-+]?\d+$/.test(text) ? Number(text) : undefined;
}
