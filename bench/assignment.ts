import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import type { FlowProblem } from '../src/core/optimize/flow/types.ts';

/** Allowed pairs, by row then column, 0-based. Costs are whole and not negative. */
export type Assignment = { n: number; pairs: { row: number; column: number; cost: number }[] };

/**
 * Reads an OR-Library assignment file: n, then either the n × n costs row by row (assign100 … assign800), or triples
 * "row column cost" of the allowed pairs (assignp800 …). All numbers are whole and separated by white space. Reference:
 * Beasley, OR-Library: distributing test problems by electronic mail (1990).
 * @throws Error if the file is neither
 */
export function readAssignment(text: string): Assignment {
  const numbers = text.trim().split(/\s+/).map(Number);
  const [n, ...rest] = numbers;
  if (!Number.isInteger(n) || n < 1 || rest.some((value) => !Number.isInteger(value))) {
    throw new Error('an assignment file is the number of rows and whole numbers after it');
  }
  const isDense = rest.length === n * n;
  if (!isDense && rest.length % 3 !== 0)
    throw new Error(`${rest.length} numbers are neither ${n} × ${n} costs nor triples`);
  const pairs = isDense
    ? rest.map((cost, k) => ({ row: Math.floor(k / n), column: k % n, cost }))
    : Array.from({ length: rest.length / 3 }, (_, k) => ({
        row: rest[3 * k] - 1,
        column: rest[3 * k + 1] - 1,
        cost: rest[3 * k + 2],
      }));
  for (const { row, column, cost } of pairs) {
    if (row < 0 || row >= n || column < 0 || column >= n)
      throw new Error(`pair ${row + 1} ${column + 1} is outside 1…${n}`);
    if (cost < 0)
      throw new Error(
        `pair ${row + 1} ${column + 1} costs ${cost}; costs are not negative, add the same to all of them`,
      );
  }
  pairs.sort((a, b) => a.row - b.row || a.column - b.column);
  return { n, pairs };
}

/**
 * As a request of the service: a vehicle at the location of each row, demand of 1 at that of each column, costs as
 * `network`. If a pair is listed twice, the cheaper cost counts.
 */
export function toRequest({ n, pairs }: Assignment): OptimizeRequest {
  const ids = Array.from({ length: 2 * n }, (_, i) => i + 1);
  const costs: (number | null)[][] = ids.map(() => new Array<number | null>(2 * n).fill(null));
  for (const { row, column, cost } of pairs) {
    costs[row][n + column] = Math.min(cost, costs[row][n + column] ?? Number.POSITIVE_INFINITY);
  }
  return {
    demand_forecast: Object.fromEntries(ids.slice(n).map((id) => [id, [1]])),
    fleet_state: { vehicles: ids.slice(0, n).map((id) => ({ id: `row ${id}`, location: id })) },
    constraints: { min_service_level: 1, max_rebalancing_cost: null },
    network: { location_ids: ids, costs },
  };
}

/** The same as a problem of the flow core, without the 4 n² cells of a network. */
export function assignmentFlow({ n, pairs }: Assignment): FlowProblem {
  const starts = new Int32Array(2 * n + 1);
  for (const { row } of pairs) starts[row + 1]++;
  for (let i = 0; i < 2 * n; i++) starts[i + 1] += starts[i];
  const side = (first: number) =>
    Int32Array.from({ length: 2 * n }, (_, i) => (i >= first && i < first + n ? 1 : 0));
  return {
    n: 2 * n,
    supply: side(0),
    demand: side(n),
    required: n,
    cost: {
      kind: 'sparse',
      starts,
      targets: Int32Array.from(pairs, (pair) => n + pair.column),
      units: Float64Array.from(pairs, (pair) => pair.cost),
    },
  };
}
