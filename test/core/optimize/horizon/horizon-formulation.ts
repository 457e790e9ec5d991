/**
 * A horizon problem written variable by variable and solved by HiGHS: demand served instead of loads, vehicles present
 * instead of nodes, all moves at once. Shares no code with the optimizer.
 */
import highsModule from 'highs';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';

// The package's ES module exports the loader itself; its declarations are read as those of a CommonJS module.
const highs = await (highsModule as unknown as typeof highsModule.default)();

export type Term = [column: number, factor: number];
export type Row = { lower: number; upper: number; terms: Term[] };

export type Formulated = { objectiveUnits: number; boundUnits: number; served: number };

/**
 * The least objective, in cost units; vehicles are whole unless trips flow. null: no plan exists.
 * @param required demand to serve, instead of the problem's
 * @param firstStep vehicles of every pair in the first step, in the order of the pairs
 * @param isMost serves the most instead
 */
export function formulateHorizon(
  problem: HorizonProblem,
  {
    required = problem.required,
    firstStep,
    isMost = false,
  }: { required?: number; firstStep?: readonly number[]; isMost?: boolean } = {},
): Formulated | null {
  const { n, steps, supply, demand, parts, capacity, pairs, unmetUnits, least, most, endUnits, flows } =
    problem;
  const { chances, sizes } = parts ?? { chances: [1], sizes: demand };
  const cost: number[] = [];
  const upper: number[] = [];
  const lower: number[] = [];
  const isWhole: boolean[] = [];
  const rows: Row[] = [];
  const column = (units: number, high: number, whole: boolean, low = 0) => {
    cost.push(units / 1e4);
    lower.push(low);
    upper.push(high);
    isWhole.push(whole && !flows);
    return cost.length - 1;
  };
  const infinity = Number.POSITIVE_INFINITY;
  /** Terms of what becomes free at a location when a step begins. */
  const arriving: Term[][] = Array.from({ length: (steps + 1) * n }, () => []);
  const servedTerms: Term[] = [];
  for (let t = 0; t < steps; t++) {
    const here = Array.from({ length: n }, () => column(0, infinity, true));
    for (let j = 0; j < n; j++) {
      const arrivals = arriving[t * n + j].map(([c, f]): Term => [c, -f]);
      rows.push({ lower: supply[t * n + j], upper: supply[t * n + j], terms: [[here[j], 1], ...arrivals] });
    }
    for (let i = 0; i < n; i++) {
      const leaving: Term[] = [];
      for (let a = pairs.starts[i]; a < pairs.starts[i + 1]; a++) {
        const fixed = t === 0 ? firstStep?.[a] : undefined;
        const isBack = endUnits !== undefined || t + pairs.delay[a] < steps;
        const high = isBack ? (fixed ?? infinity) : 0;
        const move = column(pairs.units[a], high, true, Math.min(high, fixed ?? 0));
        leaving.push([move, 1]);
        arriving[Math.min(steps, t + pairs.delay[a]) * n + pairs.targets[a]].push([move, 1]);
      }
      const stays = column(0, most?.[t * n + i] ?? infinity, true, least?.[t * n + i] ?? 0);
      rows.push({ lower: 0, upper: 0, terms: [[here[i], -1], [stays, 1], ...leaving] });
      const u = t * n + i;
      /** Demand that vehicles are there for, part by part. */
      const ready = Array.from(chances, (chance, p) =>
        column(0 - chance * (unmetUnits?.[u] ?? 0), sizes[p * steps * n + u], false),
      );
      for (const [p, chance] of chances.entries()) servedTerms.push([ready[p], chance]);
      rows.push({
        lower: 0,
        upper: infinity,
        terms: [[stays, capacity], ...ready.map((one): Term => [one, -1])],
      });
      arriving[u + n].push([stays, 1]);
      if (!flows) continue;
      // Those that serve are free where their trips end, the others stay.
      const { starts, targets, shares } = flows[t];
      for (const [p, chance] of chances.entries()) {
        arriving[u + n].push([ready[p], -chance / capacity]);
        for (let a = starts[i]; a < starts[i + 1]; a++)
          arriving[(t + 1) * n + targets[a]].push([ready[p], (chance * shares[a]) / capacity]);
      }
    }
  }
  for (let j = 0; endUnits && j < n; j++) {
    const worth = column(0 - endUnits[j], infinity, false);
    const arrivals = arriving[steps * n + j].map(([c, f]): Term => [c, f]);
    rows.push({ lower: 0, upper: infinity, terms: [[worth, -1], ...arrivals] });
  }
  rows.push({ lower: isMost ? -infinity : required, upper: infinity, terms: servedTerms });
  if (isMost) {
    cost.fill(0);
    for (const [served, chance] of servedTerms) cost[served] = -chance;
  }
  const solved = runProgramme(cost, lower, upper, isWhole, rows);
  if (!solved) return null;
  const unmet = isMost ? 0 : (unmetUnits?.reduce((sum, units, u) => sum + units * demand[u], 0) ?? 0);
  return {
    objectiveUnits: solved.objective * 1e4 + unmet,
    boundUnits: solved.bound * 1e4 + unmet,
    served: servedTerms.reduce((sum, [served, chance]) => sum + chance * solved.values[served], 0),
  };
}

/** Minimises; null: no point exists. */
export function runProgramme(
  cost: number[],
  lower: number[],
  upper: number[],
  isWhole: boolean[],
  rows: Row[],
): { objective: number; bound: number; values: ArrayLike<number> } | null {
  return highs.withModel((model) => {
    model.options.set({
      output_flag: false,
      primal_feasibility_tolerance: 1e-9,
      mip_feasibility_tolerance: 1e-9,
      mip_rel_gap: 0,
    });
    const terms = rows.map((row) => joined(row.terms));
    const starts = [0];
    for (const list of terms) starts.push(starts[starts.length - 1] + list.length);
    model.passModel({
      numCols: cost.length,
      numRows: rows.length,
      colCost: Float64Array.from(cost),
      colLower: Float64Array.from(lower),
      colUpper: Float64Array.from(upper),
      rowLower: Float64Array.from(rows, (row) => row.lower),
      rowUpper: Float64Array.from(rows, (row) => row.upper),
      matrix: {
        format: 'csr',
        numRows: rows.length,
        numCols: cost.length,
        starts: Int32Array.from(starts),
        indices: Int32Array.from(terms.flatMap((list) => list.map(([c]) => c))),
        values: Float64Array.from(terms.flatMap((list) => list.map(([, factor]) => factor))),
      },
    });
    const { variableType, modelStatus } = highs.constants;
    const isMixed = isWhole.some((whole) => whole);
    if (isMixed) {
      model.changeColsIntegrality(
        { kind: 'range', from: 0, to: cost.length - 1 },
        Int32Array.from(isWhole, (whole) => (whole ? variableType.integer : variableType.continuous)),
      );
    }
    const solve = (presolve: 'choose' | 'off') => {
      model.options.set({ presolve });
      const status = model.run({}).modelStatus;
      if (status !== modelStatus.optimal && status !== modelStatus.empty) return null;
      const objective = model.getObjectiveValue();
      const bound = isMixed ? Number(model.info.get('mip_dual_bound')) : objective;
      return { objective, bound, values: model.getSolution().colValue };
    };
    const one = solve('choose');
    if (one && !isMixed) return one;
    // HiGHS 1.15 calls some models infeasible that are not, and some points optimal, with presolve or without.
    const other = solve('off');
    return one && other ? (one.objective <= other.objective ? one : other) : (one ?? other);
  });
}

/** A column occurs once in a row. */
function joined(terms: readonly Term[]): Term[] {
  const factors = new Map<number, number>();
  for (const [c, factor] of terms) factors.set(c, (factors.get(c) ?? 0) + factor);
  return [...factors];
}
