import type { JobKind } from '../../src/contracts/jobs.ts';
import type { JobWork } from '../job-run.ts';
import { runBacktest } from './backtest.ts';
import { runDecision } from './decision.ts';
import { runOptimize } from './optimize.ts';

/** What a job of each kind does. */
export const KINDS: Record<JobKind, JobWork> = {
  optimize: runOptimize,
  backtest: runBacktest,
  decision: runDecision,
};
