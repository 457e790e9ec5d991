import type { FlowProblem } from '../src/core/optimize/flow/types.ts';

/**
 * OR-Library assignment files, as problems of the flow core: one vehicle per row, one unit of demand per column.
 *
 * File: n, then either the n × n costs row by row (assign100 … assign800), or triples "row column cost" of the pairs that
 * are allowed (assignp800 …). All numbers are whole and separated by white space.
 * Reference: Beasley, OR-Library: distributing test problems by electronic mail (1990).
 * @throws Error where the file is neither
 */
export function readAssignment(text: string): FlowProblem {
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
  pairs.sort((a, b) => a.row - b.row || a.column - b.column);
  const starts = new Int32Array(2 * n + 1);
  for (const { row, column } of pairs) {
    if (row < 0 || row >= n || column < 0 || column >= n)
      throw new Error(`pair ${row + 1} ${column + 1} is outside 1…${n}`);
    starts[row + 1]++;
  }
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
