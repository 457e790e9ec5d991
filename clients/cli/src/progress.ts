import { SingleBar } from 'cli-progress';
import type { FleetJob } from 'fleet-client';
import { formatNumber, formatPercent } from './output.ts';

/** Shows the states of a job that is waited for. */
export type JobProgress = { show(job: FleetJob): void; close(): void };

/**
 * A bar on a terminal, a line for each new state elsewhere. Both on standard error: standard output is for the result.
 * @param showLines whether lines are wanted where standard error is no terminal
 */
export function openJobProgress(showLines: boolean): JobProgress {
  if (process.stderr.isTTY) return openBar();
  return showLines ? openLines() : { show: () => {}, close: () => {} };
}

/** The state of a job besides its share: `solve, cost 226.83 (at least 226.59, gap 0.1 %)`. */
export function describeState({ status, stage, incumbent, bound, gap, queue_position }: FleetJob): string {
  if (status === 'queued') return queue_position === undefined ? 'queued' : `queued, place ${queue_position}`;
  if (incumbent === null) return status === 'running' ? (stage ?? status) : status;
  const least = bound === null ? [] : [`at least ${formatNumber(bound)}`];
  const open = gap === null ? [] : [`gap ${formatPercent(gap)}`];
  const proof = [...least, ...open].join(', ');
  const cost = `cost ${formatNumber(incumbent)}${proof && ` (${proof})`}`;
  return `${status === 'running' ? stage : status}, ${cost}`;
}

function openBar(): JobProgress {
  const bar = new SingleBar({
    stream: process.stderr,
    format: '[{bar}] {percentage}% {what}',
    // The state of the job has the rest of the line, which is cut at the terminal's width.
    barsize: Math.min(40, Math.floor(process.stderr.columns / 3)),
    clearOnComplete: true,
    // The bar leaves the terminal's settings alone: Ctrl-C has nothing to restore.
    hideCursor: false,
    linewrap: true,
  });
  bar.start(100, 0, { what: '' });
  return {
    show: (job) => bar.update(Math.floor(job.progress * 100), { what: describeState(job) }),
    close: () => bar.stop(),
  };
}

function openLines(): JobProgress {
  let last: string | undefined;
  return {
    show(job) {
      const line = `${String(Math.floor(job.progress * 100)).padStart(3)} %  ${describeState(job)}`;
      if (line !== last) process.stderr.write(`${line}\n`);
      last = line;
    },
    close: () => {},
  };
}
