import type { Command } from 'commander';
import type { components } from 'fleet-client';
import { action, type CliContext } from '../context.ts';
import { readJson } from '../input.ts';
import { formatPairs, formatTable, formatTime } from '../output.ts';

type Schedule = components['schemas']['Schedule'];

export function addSchedules(program: Command): void {
  const schedules = program.command('schedules').summary('decisions at certain times');
  schedules.command('list', { isDefault: true }).summary('all schedules').action(action(list));
  schedules.command('show').summary('a schedule').argument('<schedule>', 'its id').action(action(show));
  schedules
    .command('create')
    .summary('a new schedule')
    .argument('<request>', 'file with the JSON body of POST /api/v1/schedules; - is standard input')
    .action(action(create));
  for (const [name, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    schedules
      .command(name)
      .summary(`${name} a schedule`)
      .argument('<schedule>', 'its id')
      .action(action((context, id: string) => change(context, id, paused)));
  }
  schedules
    .command('delete')
    .summary('delete a schedule')
    .argument('<schedule>', 'its id')
    .action(action(remove));
}

async function list({ fleet, output }: CliContext): Promise<void> {
  const answer = await fleet.get('/api/v1/schedules');
  output.answer(answer, () =>
    formatTable(
      ['schedule', 'name', 'cron', 'time zone', 'next'],
      answer.data.schedules.map(({ schedule_id, name, cron, time_zone, next_at, paused }) => [
        schedule_id,
        name,
        cron,
        time_zone,
        paused ? 'paused' : formatTime(next_at),
      ]),
    ),
  );
}

async function show({ fleet, output }: CliContext, schedule_id: string): Promise<void> {
  const answer = await fleet.get('/api/v1/schedules/{schedule_id}', { params: { path: { schedule_id } } });
  output.answer(answer, () => describeSchedule(answer.data));
}

async function create({ fleet, output }: CliContext, file: string): Promise<void> {
  const answer = await fleet.post('/api/v1/schedules', { body: await readJson(file) });
  output.answer(answer, () => describeSchedule(answer.data));
}

async function change({ fleet, output }: CliContext, schedule_id: string, paused: boolean): Promise<void> {
  const params = { path: { schedule_id } };
  const answer = await fleet.patch('/api/v1/schedules/{schedule_id}', { params, body: { paused } });
  output.answer(answer, () => describeSchedule(answer.data));
}

async function remove({ fleet, output }: CliContext, schedule_id: string): Promise<void> {
  const answer = await fleet.delete('/api/v1/schedules/{schedule_id}', { params: { path: { schedule_id } } });
  output.answer(answer, () => `${schedule_id} deleted`);
}

function describeSchedule(schedule: Schedule): string {
  return [
    `${schedule.name}  ${schedule.schedule_id}`,
    formatPairs([
      ['cron', `${schedule.cron} (${schedule.time_zone})`],
      ['state', schedule.paused ? 'paused' : 'active'],
      ['next', formatTime(schedule.next_at)],
      ['decision', JSON.stringify(schedule.decision)],
    ]),
  ].join('\n');
}
