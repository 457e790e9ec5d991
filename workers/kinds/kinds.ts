import type { JobKind } from '../../src/contracts/jobs.ts';
import type { JobWork } from '../run/job-run.ts';
import { runBacktest } from './backtest.ts';
import { runDecision } from './decision.ts';
import { runOptimize } from './optimize.ts';
import { runReplay } from './replay.ts';

const KINDS: { [K in JobKind]: JobWork<K> } = {
  optimize: runOptimize,
  backtest: runBacktest,
  decision: runDecision,
  replay: runReplay,
};

/** The work of a kind of job. */
export function workOf<K extends JobKind>(kind: K): JobWork<K> {
  return KINDS[kind];
}
