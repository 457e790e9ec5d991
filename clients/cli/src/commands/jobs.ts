import type { Command } from 'commander';
import type { FleetJob } from 'fleet-client';
import { action, type CliContext } from '../context.ts';
import { followJob } from '../follow.ts';
import { numberOption } from '../input.ts';
import { formatPairs, formatTable, formatTime, print } from '../output.ts';
import { describeState } from '../progress.ts';

type ListOptions = { limit: number; status?: FleetJob['status']; kind?: FleetJob['kind'] };

export function addJobs(program: Command): void {
  const jobs = program.command('jobs').summary('list, watch and cancel jobs');
  jobs
    .command('list', { isDefault: true })
    .summary('the newest jobs')
    .option('--limit <n>', 'how many', numberOption, 20)
    .option('--status <status>', 'queued, running, completed, failed or cancelled')
    .option('--kind <kind>', 'optimize, decision, backtest or replay')
    .action(action(list));
  jobs
    .command('show')
    .summary('a job with its attempts and phases')
    .argument('<job>', 'its id')
    .action(action(show));
  jobs
    .command('watch')
    .summary('the progress of a job, to its end; exits as if it had been waited for')
    .argument('<job>', 'its id')
    .action(action(watch));
  jobs
    .command('cancel')
    .summary('cancel a job; one that has ended stays as it is')
    .argument('<job>', 'its id')
    .action(action(cancel));
}

async function list({ fleet, output }: CliContext, query: ListOptions): Promise<void> {
  const answer = await fleet.get('/api/v1/jobs', { params: { query } });
  output.answer(answer, () =>
    formatTable(
      ['job', 'kind', 'status', 'result', 'created', 'plan'],
      answer.data.jobs.map((job) => [
        job.job_id,
        job.kind,
        job.status,
        job.solver_status,
        formatTime(job.created_at),
        job.plan_id,
      ]),
    ),
  );
}

async function show({ fleet, output }: CliContext, job_id: string): Promise<void> {
  const answer = await fleet.get('/api/v1/jobs/{job_id}', { params: { path: { job_id } } });
  output.answer(answer, () => describeJob(answer.data));
}

/** With `--json` a line for each state, the last one with the result. */
async function watch(context: CliContext, job_id: string): Promise<void> {
  const { isJson } = context.output;
  await followJob(context, { job_id }, { watch: !isJson }, (state) => {
    if (isJson) print(JSON.stringify(state));
    else if (state.result) print(describeJob(state));
  });
}

async function cancel({ fleet, output }: CliContext, job_id: string): Promise<void> {
  const answer = await fleet.delete('/api/v1/jobs/{job_id}', { params: { path: { job_id } } });
  output.answer(answer, () => `${job_id} ${answer.data.status}`);
}

function describeJob(job: FleetJob): string {
  const phases = (job.phases ?? []).map(({ phase, at, ms }) => [phase, formatTime(at), ms]);
  return [
    `${job.job_id}  ${describeState(job)}`,
    formatPairs([
      ['result', job.solver_status],
      ['plan', job.plan_id],
      ['attempts', job.attempts],
      ['created', formatTime(job.created_at)],
      ['finished', formatTime(job.finished_at)],
      ['ends in about', job.estimate ? `${Math.ceil(job.estimate.median_seconds)} s` : null],
    ]),
    ...(phases.length > 0 ? ['', formatTable(['phase', 'from', 'ms'], phases)] : []),
  ].join('\n');
}
