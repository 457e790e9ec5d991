import { type Command, Option } from 'commander';
import type { PostAnswer, PostBody } from 'fleet-client';
import { action, type CliContext } from '../context.ts';
import { type FollowOptions, followJob, leave } from '../follow.ts';
import { numberOption, readJson } from '../input.ts';
import { emphasize, formatNumber, formatPairs, formatPercent, formatTable } from '../output.ts';

type DecideOptions = FollowOptions & {
  date?: string;
  at?: string;
  upper?: boolean;
  demand?: string;
  hours?: number;
  step?: number;
  ahead?: boolean;
  serviceLevel?: number;
  maxDistance?: number;
  request?: string;
};
type Plan = PostAnswer<'/api/v1/decisions'>['data']['plan'];
type SolvedPlan = Plan | PostAnswer<'/api/v1/optimize'>['data'];
/** How many locations that stay short are named. */
const MAX_SHORT = 5;

export function addSolve(program: Command): void {
  withWaiting(program.command('decide'))
    .summary('plan the stored city: forecast, risk, then the cheapest plan')
    .description('Plans the stored city. Without options: the day after the newest observation.')
    .option('--date <day>', 'first local day, such as 2017-05-04')
    .option('--at <time>', 'from this time on, or "now", instead of a date')
    .option('--upper', 'plan for the upper end of the forecast interval, not the mean')
    .addOption(
      new Option(
        '--demand <what>',
        'mean (the default), upper, or with --ahead spread: three equally likely outcomes',
      )
        .choices(['mean', 'upper', 'spread'])
        .conflicts('upper'),
    )
    .option('--hours <n>', 'hours to plan for (24)', numberOption)
    .option('--step <n>', 'hours of a step (1)', numberOption)
    .option('--ahead', 'look ahead through all steps instead of planning for the busiest one')
    .option('--service-level <share>', 'share of demand to serve, 0 to 1', numberOption)
    .option('--max-distance <km>', 'farthest move', numberOption)
    .option('--request <file>', 'other fields of the request, as JSON; - is standard input')
    .action(action(decide));
  withWaiting(program.command('optimize'))
    .summary('the cheapest plan for a demand and a fleet')
    .argument('<request>', 'file with the JSON body of POST /api/v1/optimize; - is standard input')
    .action(action(optimize));
}

function withWaiting(command: Command): Command {
  return command
    .option('--watch', 'lines of progress where standard error is no terminal')
    .option('--detach', 'do not wait: print the job');
}

async function decide(context: CliContext, options: DecideOptions): Promise<void> {
  const given: PostBody<'/api/v1/decisions'> = options.request ? await readJson(options.request) : {};
  const constraints = {
    ...given.constraints,
    ...(options.serviceLevel !== undefined && { min_service_level: options.serviceLevel }),
    ...(options.maxDistance !== undefined && { max_distance: options.maxDistance }),
  };
  const body: PostBody<'/api/v1/decisions'> = {
    ...given,
    ...(options.date !== undefined && { start_date: options.date }),
    ...(options.at !== undefined && { start_at: options.at }),
    ...(options.demand !== undefined && { demand: options.demand as 'mean' }),
    ...(options.upper && { demand: 'upper' }),
    ...(options.hours !== undefined && { horizon_hours: options.hours }),
    // The service checks it, and says which steps there are.
    ...(options.step !== undefined && { step_hours: options.step as 1 }),
    ...(options.ahead && { mode: 'horizon' }),
    ...(Object.keys(constraints).length > 0 && { constraints }),
  };
  const job = await context.fleet.submit('/api/v1/decisions', body);
  if (options.detach) return leave(context, job);
  const answer = await followJob(context, job, options);
  const { data, metadata } = answer;
  context.output.answer(answer, () =>
    [
      emphasize('bold', `Decision for ${data.start_date}`),
      planLines(data.plan, metadata.plan_id),
      ...(data.left_out.length > 0 ? [`${data.left_out.length} vehicles left out for their risk`] : []),
      hintsOf(metadata.plan_id),
    ].join('\n'),
  );
}

async function optimize(context: CliContext, file: string, options: FollowOptions): Promise<void> {
  const job = await context.fleet.submit('/api/v1/optimize', await readJson(file));
  if (options.detach) return leave(context, job);
  const answer = await followJob(context, job, options);
  const { data, metadata } = answer;
  context.output.answer(answer, () =>
    [emphasize('bold', 'Plan'), planLines(data, metadata.plan_id), hintsOf(metadata.plan_id)].join('\n'),
  );
}

/** A plan in some lines: what it serves, what it costs, and where demand stays unmet. */
export function planLines(plan: SolvedPlan, planId: string | null): string {
  const { kpis, solver_status, gap, shortfall, locations = [] } = plan;
  const short = locations.filter(({ unmet }) => unmet > 0).sort((a, b) => b.unmet - a.unmet);
  const table = formatTable(
    ['stays short', 'demand', 'served', 'unmet'],
    short
      .slice(0, MAX_SHORT)
      .map((place) => [
        `${place.location_id} ${place.name ?? ''}`.trim(),
        place.demand,
        place.served,
        place.unmet,
      ]),
  );
  const further = short.length > MAX_SHORT ? [`and ${short.length - MAX_SHORT} further locations`] : [];
  return [
    formatPairs([
      ['status', gap ? `${solver_status}, at most ${formatPercent(gap)} above the best` : solver_status],
      ['demand served', formatPercent(kpis.demand_coverage)],
      ['demand unmet', kpis.unmet_demand],
      ['vehicles moved', kpis.rebalanced_count],
      ['distance', kpis.total_distance_km === null ? null : `${formatNumber(kpis.total_distance_km)} km`],
      ['cost', kpis.total_cost],
      ['utilization', formatPercent(kpis.utilization)],
      ['plan', planId],
    ]),
    ...(short.length > 0 ? ['', table, ...further] : []),
    ...(shortfall ? ['', describeShortfall(shortfall)] : []),
  ].join('\n');
}

function describeShortfall({ requested, reached, relaxations }: NonNullable<Plan['shortfall']>): string {
  return [
    `The service level of ${formatPercent(requested)} is out of reach; ${formatPercent(reached)} is served. It would take`,
    ...relaxations.map(({ message }) => `  ${message}`),
  ].join('\n');
}

function hintsOf(planId: string | null): string {
  return planId === null ? '' : `\n  fleet plans csv ${planId} --part moves`;
}
