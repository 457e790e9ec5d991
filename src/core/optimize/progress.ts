/**
 * Progress of one optimization, 0 … 1, divided among its stages. Reported progress never falls, and reports keep a
 * minimum interval.
 */

import { requireFinite } from '../finite.ts';
import { fromUnits } from './problem/costs.ts';
import { msOf } from './run/budget.ts';
import { nowMs } from './run/clock.ts';
import type { SolveProgress } from './run/control.ts';

export type ProgressReport = {
  stage: 'build' | 'critical_demand' | 'solve' | 'milp_refinement' | 'verify' | 'explain';
  /** 0 … 1, never falling. */
  progress: number;
  incumbent?: number | null;
  bound?: number | null;
  gap?: number | null;
  /** Iterations of the simplex method, or pivots of the network simplex. */
  iterations?: number | null;
};

type Stage = ProgressReport['stage'];

/** The start of each stage. An explanation takes about as long as the solve; critical demand is part of it. */
const BEGINS: Record<'plain' | 'explained', Record<Stage, number>> = {
  plain: { build: 0, critical_demand: 0.05, solve: 0.05, milp_refinement: 0.2, verify: 0.95, explain: 0.98 },
  explained: {
    build: 0,
    critical_demand: 0.05,
    solve: 0.05,
    milp_refinement: 0.15,
    verify: 0.55,
    explain: 0.6,
  },
};
const ORDER: Stage[] = ['build', 'critical_demand', 'solve', 'milp_refinement', 'verify', 'explain'];

export type ProgressReporter = {
  /** Reports that a stage has begun, or its progress (`share` 0 … 1). */
  at(stage: Stage, share?: number | null, figures?: Omit<ProgressReport, 'stage' | 'progress'>): void;
  /** Reports the progress of the solve, with its figures in money. */
  solving(progress: SolveProgress): void;
};

/** @param isRefined whether rules about pairs of locations have a stage of their own */
export function createProgress(
  explained: boolean,
  onProgress: ((p: ProgressReport) => void) | undefined,
  intervalMs = msOf('progress'),
  isRefined = false,
): ProgressReporter {
  const begins = BEGINS[explained ? 'explained' : 'plain'];
  const order = ORDER.filter((stage) => isRefined || stage !== 'milp_refinement');
  let reported = 0;
  let reportedStage: Stage | null = null;
  let reportedMs = 0;
  const at: ProgressReporter['at'] = (stage, share, figures = {}) => {
    if (!onProgress) return;
    const now = nowMs();
    if (stage === reportedStage && now - reportedMs < intervalMs) return;
    reportedStage = stage;
    reportedMs = now;
    const next = order[order.indexOf(stage) + 1];
    const end = next ? begins[next] : 1;
    const progress = begins[stage] + (end - begins[stage]) * Math.min(1, Math.max(0, share || 0));
    reported = Math.max(reported, progress);
    onProgress(requireFinite('progress', { stage, progress: reported, ...figures }));
  };
  return {
    at,
    solving({ stage, share, incumbentUnits, boundUnits, gap, iterations }) {
      at(stage ?? 'solve', share, {
        incumbent: incumbentUnits === null ? null : fromUnits(incumbentUnits),
        bound: boundUnits === null ? null : fromUnits(boundUnits),
        gap,
        iterations,
      });
    },
  };
}
