import type { FleetJob, SubmittedJob } from 'fleet-client';
import type { CliContext } from './context.ts';
import { Interrupted } from './exit-codes.ts';
import { print } from './output.ts';
import { openJobProgress } from './progress.ts';

export type FollowOptions = { watch?: boolean; detach?: boolean };

/**
 * Waits for a job and shows its progress. Ctrl-C ends the waiting, never the job: a plan that costs minutes is not
 * thrown away by a slip. The hint says how to see it again, and how to cancel it.
 * @param seesEach is called with every state
 * @throws Interrupted, and the errors of `waitFor`
 */
export async function followJob<Answer>(
  { fleet }: CliContext,
  job: SubmittedJob<Answer>,
  { watch = false }: FollowOptions,
  seesEach: (state: FleetJob) => void = () => {},
): Promise<Answer> {
  const abort = new AbortController();
  const interrupt = () => abort.abort(new Interrupted(hintOf(job.job_id)));
  process.once('SIGINT', interrupt);
  const progress = openJobProgress(watch);
  try {
    const onProgress = (state: FleetJob) => {
      progress.show(state);
      seesEach(state);
    };
    return await fleet.waitFor(job, { signal: abort.signal, onProgress });
  } finally {
    progress.close();
    process.removeListener('SIGINT', interrupt);
  }
}

/** With `--detach`: says where the job is, and is done. */
export function leave({ output }: CliContext, { job_id }: SubmittedJob<unknown>): void {
  print(output.isJson ? JSON.stringify({ job_id }) : `${job_id}\n  fleet jobs watch ${job_id}`);
}

function hintOf(jobId: string): string {
  return [
    `no longer waiting; the job goes on`,
    `  fleet jobs watch ${jobId}`,
    `  fleet jobs cancel ${jobId}`,
  ].join('\n');
}
