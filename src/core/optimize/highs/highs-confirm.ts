/**
 * Asks HiGHS whether a basis is optimal. One solver object per thread is kept for this question alone: opening one,
 * setting its options and disposing it takes twice as long as the answer for a small model. Passing a model clears
 * the previous one, and the question is always the same, so the answer depends on nothing left from before.
 */
import { type Cache, keptIn, type Slot } from '../run/cache.ts';
import { nowMs } from '../run/clock.ts';
import { isStopped } from '../run/stopping.ts';
import { dropIfDamaged, loadSolver, passed } from './highs.ts';
import type { ColumnModel } from './linear-model.ts';
import type { RunControl } from './solver-model.ts';

export type BasisAnswer = {
  status: 'optimal' | 'stopped' | 'failed';
  /** The optimum's objective, and the iterations from the basis to it. */
  objective: number;
  iterations: number;
};

const TOLERANCE = 1e-9;
const PRIMAL_SIMPLEX = 4;
const DEVEX = 1;

/**
 * A model of at most this many columns takes a few milliseconds from any basis (at most 456 iterations were seen).
 * From an optimal basis, the callback would add some hundredths to the time.
 */
const MAX_COLUMNS_UNWATCHED = 600;

type Highs = Awaited<ReturnType<typeof loadSolver>>;

/** By module: dropping a module after a fault drops its solver too. */
const SOLVERS: Slot<WeakMap<Highs, ReturnType<Highs['createModel']>>> = { create: () => new WeakMap() };

function solverOf(highs: Highs, cache: Cache) {
  const kept = keptIn(cache, SOLVERS);
  const known = kept.get(highs);
  if (known) return known;
  const solver = highs.createModel();
  solver.options.set({
    output_flag: false,
    primal_feasibility_tolerance: TOLERANCE,
    presolve: 'off',
    solver: 'simplex',
    simplex_strategy: PRIMAL_SIMPLEX,
    simplex_dual_edge_weight_strategy: DEVEX,
  });
  kept.set(highs, solver);
  return solver;
}

/** Primal simplex from the given basis: one status per column and per row, with as many basic ones as rows. */
export async function confirmBasis(
  cache: Cache,
  source: ColumnModel,
  basis: { columnStatus: Int32Array; rowStatus: Int32Array },
  control: Pick<RunControl, 'deadlineMs' | 'stopFlag'>,
): Promise<BasisAnswer> {
  const highs = await loadSolver(cache);
  const isOver = () => isStopped(control.stopFlag) || nowMs() >= control.deadlineMs;
  if (isOver()) return { status: 'stopped', objective: Number.NaN, iterations: 0 };
  try {
    return run(highs, solverOf(highs, cache), source, basis, isOver);
  } catch (error) {
    dropIfDamaged(cache, error);
    throw error;
  }
}

function run(
  highs: Highs,
  solver: ReturnType<Highs['createModel']>,
  source: ColumnModel,
  basis: { columnStatus: Int32Array; rowStatus: Int32Array },
  isOver: () => boolean,
): BasisAnswer {
  const { callbackType, modelStatus } = highs.constants;
  solver.passModel(passed(source, 'csc'));
  solver.setBasis({ colStatus: basis.columnStatus, rowStatus: basis.rowStatus });
  const isSmall = source.columnCount <= MAX_COLUMNS_UNWATCHED;
  const ended = solver.run(
    isSmall
      ? {}
      : {
          [callbackType.simplexInterrupt](event) {
            if (isOver()) event.interrupt();
          },
        },
  ).modelStatus;
  const isOptimal = ended === modelStatus.optimal || ended === modelStatus.empty;
  return {
    status: isOptimal ? 'optimal' : ended === modelStatus.interrupted ? 'stopped' : 'failed',
    objective: solver.getObjectiveValue(),
    iterations: Number(solver.info.get('simplex_iteration_count')),
  };
}
