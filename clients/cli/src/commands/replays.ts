import type { Command } from 'commander';
import { action, type CliContext } from '../context.ts';
import { type FollowOptions, followJob, leave } from '../follow.ts';
import { readJson } from '../input.ts';
import { formatPercent, formatTable, formatTime } from '../output.ts';
import { saveCsv, withCsvOptions } from './plans.ts';

type Figures = { name: string; served_share: number; moves: number; km: number; objective: number };

export function addReplays(program: Command): void {
  const replays = program.command('replays').summary('what plans would have brought on past demand');
  replays.command('list', { isDefault: true }).summary('the replays that have ended').action(action(list));
  replays
    .command('create')
    .summary('replay past demand under several policies')
    .argument('<request>', 'file with the JSON body of POST /api/v1/replays; - is standard input')
    .option('--watch', 'lines of progress where standard error is no terminal')
    .option('--detach', 'do not wait: print the job')
    .action(action(create));
  replays.command('show').summary('a replay').argument('<replay>', 'its id').action(action(show));
  withCsvOptions(replays.command('csv').summary('a replay as CSV').argument('<replay>', 'its id'))
    .option('--part <part>', 'policies, hours or locations')
    .action(
      action((context, id: string, options) => saveCsv(context, `/api/v1/replays/${id}`, options as object)),
    );
}

async function list({ fleet, output }: CliContext): Promise<void> {
  const answer = await fleet.get('/api/v1/replays');
  output.answer(answer, () =>
    formatTable(
      ['replay', 'created', 'from', 'to', 'vehicles', 'policies'],
      answer.data.replays.map(({ replay_id, created_at, from, to, fleet_size, policies }) => [
        replay_id,
        formatTime(created_at),
        from,
        to,
        fleet_size,
        policies.map(({ name }) => name).join(', '),
      ]),
    ),
  );
}

async function create(context: CliContext, file: string, options: FollowOptions): Promise<void> {
  const job = await context.fleet.submit('/api/v1/replays', await readJson(file));
  if (options.detach) return leave(context, job);
  const answer = await followJob(context, job, options);
  context.output.answer(answer, () => `${answer.data.replay_id}\n${describePolicies(answer.data.policies)}`);
}

async function show({ fleet, output }: CliContext, replay_id: string): Promise<void> {
  const answer = await fleet.get('/api/v1/replays/{replay_id}', { params: { path: { replay_id } } });
  output.answer(answer, () => describePolicies(answer.data.policies));
}

function describePolicies(policies: Figures[]): string {
  return formatTable(
    ['policy', 'served', 'moves', 'km', 'moving and lost trips'],
    policies.map(({ name, served_share, moves, km, objective }) => [
      name,
      formatPercent(served_share),
      moves,
      km,
      objective,
    ]),
  );
}
