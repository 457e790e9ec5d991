import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { action, type CliContext } from '../context.ts';
import { numberOption } from '../input.ts';
import {
  formatDifference,
  formatPairs,
  formatPercent,
  formatPoints,
  formatTable,
  formatTime,
  writeTo,
} from '../output.ts';
import { planLines } from './solve.ts';

type ListOptions = { limit: number; minCoverage?: number; maxCost?: number; location?: number };
type CsvOptions = {
  part?: string;
  spreadsheet?: boolean;
  output?: string;
  query?: Record<string, string | number>;
};

export function addPlans(program: Command): void {
  const plans = program.command('plans').summary('find, show and compare plans');
  plans
    .command('list', { isDefault: true })
    .summary('the newest plans')
    .option('--limit <n>', 'how many', numberOption, 20)
    .option('--min-coverage <share>', 'least share of demand served', numberOption)
    .option('--max-cost <cost>', 'largest cost', numberOption)
    .option('--location <id>', 'only plans with this location', numberOption)
    .action(action(list));
  plans.command('show').summary('a plan').argument('<plan>', 'its id').action(action(show));
  plans
    .command('compare')
    .summary('what a second plan has more or less than a first')
    .argument('<plan>', 'id of the first')
    .argument('<other>', 'id of the second')
    .action(action(compare));
  withCsvOptions(plans.command('csv').summary('a plan as CSV').argument('<plan>', 'its id'))
    .option('--part <part>', 'vehicles, moves (the work list) or locations')
    .action(
      action((context, id: string, options: CsvOptions) => saveCsv(context, `/api/v1/plans/${id}`, options)),
    );
}

export function withCsvOptions(command: Command): Command {
  return command
    .option('--spreadsheet', 'safe and readable for spreadsheets')
    .option('-o, --output <file>', 'where to; default: standard output');
}

/** Streams a CSV, so that a plan of a hundred thousand vehicles takes no memory. */
export async function saveCsv({ fleet }: CliContext, path: string, options: CsvOptions): Promise<void> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {})) query.set(name, String(value));
  if (options.part !== undefined) query.set('part', options.part);
  if (options.spreadsheet) query.set('spreadsheet', 'true');
  const headers = { accept: 'text/csv' };
  const { body } = await fleet.send(`${path}${query.size > 0 ? `?${query}` : ''}`, { headers });
  await writeTo(options.output, Readable.fromWeb(body as never));
}

async function list({ fleet, output }: CliContext, options: ListOptions): Promise<void> {
  const { limit, minCoverage, maxCost, location } = options;
  const query = { limit, min_coverage: minCoverage, max_cost: maxCost, location_id: location };
  const answer = await fleet.get('/api/v1/plans', { params: { query } });
  output.answer(answer, () =>
    formatTable(
      ['plan', 'created', 'status', 'served', 'moved', 'cost'],
      answer.data.plans.map(({ plan_id, created_at, solver_status, kpis }) => [
        plan_id,
        formatTime(created_at),
        solver_status,
        formatPercent(kpis.demand_coverage),
        kpis.rebalanced_count,
        kpis.total_cost,
      ]),
    ),
  );
}

async function show({ fleet, output }: CliContext, plan_id: string): Promise<void> {
  const answer = await fleet.get('/api/v1/plans/{plan_id}', { params: { path: { plan_id } } });
  output.answer(answer, () => planLines(answer.data, plan_id));
}

async function compare({ fleet, output }: CliContext, plan_id: string, other_id: string): Promise<void> {
  const path = { plan_id, other_id };
  const answer = await fleet.get('/api/v1/plans/{plan_id}/compare/{other_id}', { params: { path } });
  const { kpi_differences: kpis, vehicles, locations } = answer.data;
  output.answer(answer, () =>
    [
      formatPairs([
        ['demand served', formatPoints(kpis.demand_coverage)],
        ['demand unmet', formatDifference(kpis.unmet_demand)],
        ['vehicles moved', formatDifference(kpis.rebalanced_count)],
        [
          'distance (km)',
          kpis.total_distance_km === null ? undefined : formatDifference(kpis.total_distance_km),
        ],
        ['cost', formatDifference(kpis.total_cost)],
        ...Object.entries(vehicles).map(([name, count]): [string, number] => [
          name.replaceAll('_', ' '),
          count,
        ]),
        ['locations that differ', locations?.length],
      ]),
    ].join('\n'),
  );
}
