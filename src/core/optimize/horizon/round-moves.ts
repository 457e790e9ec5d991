/**
 * Whole vehicles from fractional ones: every amount is rounded up or down, and so are the sums of its row and of its
 * column; whole sums stay as they are. Pairs of fractional amounts in the same row or column are changed against each
 * other along paths and cycles until none is left, always towards the nearest whole numbers.
 * O(fractions²) at worst. Reference: Gandhi, Khuller, Parthasarathy, Srinivasan, Dependent rounding (2006).
 */

/** Vehicles; nearer to a whole number than this counts as whole. */
const NOISE = 1e-7;

/**
 * @param rows, columns of each amount: any numbers ≥ 0
 * @param costs of each amount: the rounded amounts cost no more than the given ones; absent: to the nearest
 * @returns the rounded amounts
 */
export function roundInPairs(
  rows: ArrayLike<number>,
  columns: ArrayLike<number>,
  amounts: Float64Array,
  costs?: ArrayLike<number>,
): Float64Array {
  const rounded = amounts.map((amount) => {
    const nearest = Math.round(amount);
    return Math.abs(amount - nearest) < NOISE ? nearest : amount;
  });
  /** Fractional amounts of each row and column. */
  const byRow = new Map<number, Set<number>>();
  const byColumn = new Map<number, Set<number>>();
  const edit = (a: number, change: (set: Set<number>) => void) => {
    for (const [groups, key] of [
      [byRow, rows[a]],
      [byColumn, columns[a]],
    ] as const) {
      const group = groups.get(key) ?? new Set();
      groups.set(key, group);
      change(group);
    }
  };
  for (let a = 0; a < rounded.length; a++)
    if (!Number.isInteger(rounded[a])) edit(a, (group) => group.add(a));
  const keyOf = (a: number, isRow: boolean) => (isRow ? rows[a] : columns[a]);
  const settle = (a: number) => {
    const nearest = Math.round(rounded[a]);
    if (Math.abs(rounded[a] - nearest) >= NOISE) return;
    rounded[a] = nearest;
    edit(a, (group) => group.delete(a));
  };
  for (let first = 0; first < rounded.length; first++) {
    while (!Number.isInteger(rounded[first])) {
      const path = findPath(first, keyOf, (a, isRow) => (isRow ? byRow : byColumn).get(keyOf(a, isRow)));
      shift(rounded, path, costs);
      for (const a of path) settle(a);
    }
  }
  return rounded;
}

type Groups = (a: number, isRow: boolean) => ReadonlySet<number> | undefined;

/** Fractional amounts, in turn in the same row and in the same column: a cycle, or a path between two ends. */
function findPath(first: number, keyOf: (a: number, isRow: boolean) => number, groupOf: Groups): number[] {
  const forward = walk(first, true, keyOf, groupOf);
  if (forward.isCycle) return forward.path;
  // The last amount is alone in its row or column: from there to the other end.
  const last = forward.path[forward.path.length - 1];
  return walk(last, !forward.endsInRow, keyOf, groupOf).path;
}

function walk(
  first: number,
  firstIsRow: boolean,
  keyOf: (a: number, isRow: boolean) => number,
  groupOf: Groups,
): { path: number[]; isCycle: boolean; endsInRow: boolean } {
  const path = [first];
  /** Position in the path of the amount behind a row or column. */
  const behind = { row: new Map<number, number>(), column: new Map<number, number>() };
  let a = first;
  for (let isRow = firstIsRow; ; isRow = !isRow) {
    const known = isRow ? behind.row : behind.column;
    const key = keyOf(a, isRow);
    const from = known.get(key);
    if (from !== undefined) return { path: path.slice(from), isCycle: true, endsInRow: isRow };
    known.set(key, path.length);
    let other = -1;
    for (const candidate of groupOf(a, isRow) ?? []) {
      if (candidate !== a) {
        other = candidate;
        break;
      }
    }
    if (other < 0) return { path, isCycle: false, endsInRow: isRow };
    path.push(other);
    a = other;
  }
}

/** Adds to every second amount what it takes from the others, until one of them is whole; never at a higher cost. */
function shift(amounts: Float64Array, path: readonly number[], costs?: ArrayLike<number>): void {
  let up = Number.POSITIVE_INFINITY;
  let down = Number.POSITIVE_INFINITY;
  for (const [p, a] of path.entries()) {
    const toFloor = amounts[a] - Math.floor(amounts[a]);
    const toCeil = 1 - toFloor;
    up = Math.min(up, p % 2 === 0 ? toCeil : toFloor);
    down = Math.min(down, p % 2 === 0 ? toFloor : toCeil);
  }
  const dearer = costs ? path.reduce((sum, a, p) => sum + (p % 2 === 0 ? costs[a] : -costs[a]), 0) : 0;
  const by = dearer < 0 || (dearer === 0 && up <= down) ? up : -down;
  for (const [p, a] of path.entries()) amounts[a] += p % 2 === 0 ? by : -by;
}
