/** The command line of `npm run replay`, as a request of `POST /api/v1/replays`. */
import { parseArgs } from 'node:util';
import { DEFAULT_CONFIDENCE_LEVEL, type ReplayRequest } from '../../contracts/replays.ts';
import { HOUR_MS } from '../../contracts/time.ts';
import { localMidnight } from '../../core/forecast/local-time.ts';
import { DAY_AHEAD_HOURS } from '../../core/replay/replay.ts';
import { CommandError, numberArgument } from '../command-line.ts';

const POLICIES = 'none,nightly,static,horizon-4,horizon-6,horizon-6-spread,horizon-6-observed';

export const USAGE = `npm run replay -- [options]

  --database            replay the stored data of the database at DATABASE_URL, with the settings of the service,
                        instead of the files of the sample
  --from <day>          first local day, YYYY-MM-DD (2017-04-27, the first of the sample's last week)
  --days <count>        days (7)
  --fleet <vehicles>    vehicles, placed in proportion to the mean demand before the period (8000);
                        with --database also stored: the stored ones, where they are
  --trips <count>       trips that a vehicle serves in an hour (2)
  --price <money>       what a trip that is not served costs, where moving a km costs 1 (6)
  --policies <names>    none, nightly, static, horizon-<hours>; with -upper or -observed at the end plans are made for
                        the upper end of the interval, or with the demand known; horizon-<hours>-spread weighs the
                        interval (${POLICIES});
                        a level after -upper, as in horizon-6-upper-0.5, for another interval than --confidence
  --confidence <share>  of the demand that the interval holds (0.95)
  --seeds <count>       replays with drawn trip ends beside the one with expected ends (3)
  --holidays <region>   public holidays of US, DE-BY, …, for the sample (none)
  --events <file>       events for the sample, CSV or CSV.gz: event_id[,location_id],from,to,kind[,factor][,name] (none)
  --svg <file>          draw what was served, hour by hour
  --json <file>         write all figures
  --help
`;

export type ReplayCommand = {
  request: ReplayRequest;
  days: number;
  isDatabase: boolean;
  holidays: string | undefined;
  events: string | undefined;
  svg: string | undefined;
  json: string | undefined;
};

/** @returns null if help is asked for @throws CommandError */
export function readCommandLine(args: string[]): ReplayCommand | null {
  let values: ReturnType<typeof parseCommand>;
  try {
    values = parseCommand(args);
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${USAGE}`);
  }
  const { help, database: isDatabase, holidays, events, svg, json } = values;
  if (help) return null;
  for (const [name, value] of Object.entries({ holidays, events })) {
    if (!isDatabase || value === undefined) continue;
    throw new CommandError(`--${name} is for the sample; a database has its own, leave it out`);
  }
  const midnight = localMidnight(values.from);
  if (midnight === null) throw new CommandError(`--from is ${values.from}; give a day as YYYY-MM-DD`);
  const days = numberArgument('days', values.days, [1, 366]);
  const level = numberArgument('confidence', values.confidence, [0.5, 0.999], false);
  const count = numberArgument('seeds', values.seeds, [0, 1000]);
  const isStored = isDatabase && values.fleet === 'stored';
  const request: ReplayRequest = {
    from: values.from,
    to: new Date((midnight + 24 * days) * HOUR_MS).toISOString().slice(0, 10),
    fleet: isStored ? 'stored' : { size: numberArgument('fleet', values.fleet, [1, 10_000_000]) },
    trips_per_vehicle_hour: numberArgument('trips', values.trips, [0.001, 1000], false),
    unmet_demand_cost: numberArgument('price', values.price, [0, 1e6], false),
    cost: { per_km: 1 },
    travel: 'stored',
    policies: values.policies.split(',').map((name) => readPolicy(name, level)),
    seeds: Array.from({ length: count }, (_, i) => i + 1),
  };
  return { request, days, isDatabase, holidays, events, svg, json };
}

function parseCommand(args: string[]) {
  return parseArgs({
    args,
    options: {
      database: { type: 'boolean', default: false },
      from: { type: 'string', default: '2017-04-27' },
      days: { type: 'string', default: '7' },
      fleet: { type: 'string', default: '8000' },
      trips: { type: 'string', default: '2' },
      price: { type: 'string', default: '6' },
      policies: { type: 'string', default: POLICIES },
      confidence: { type: 'string', default: `${DEFAULT_CONFIDENCE_LEVEL}` },
      seeds: { type: 'string', default: '3' },
      holidays: { type: 'string' },
      events: { type: 'string' },
      svg: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  }).values;
}

type Policy = ReplayRequest['policies'][number];

const POLICY =
  /^(?<mode>none|(?:nightly|static|horizon-(?<hours>\d+))(?:-(?<demand>upper|spread|observed)(?:-(?<level>0\.\d+))?)?)$/;

/** @param level of the interval, if the name has none */
function readPolicy(name: string, level: number): Policy {
  const { hours, demand = 'mean', level: own } = POLICY.exec(name)?.groups ?? {};
  const horizonHours = Number(hours ?? 2);
  const isKnown = POLICY.test(name) && (demand !== 'spread' || hours !== undefined);
  if (!isKnown || horizonHours < 2 || horizonHours > DAY_AHEAD_HOURS) {
    const known =
      `none, nightly, static, or horizon-2 to horizon-${DAY_AHEAD_HOURS}, these with -upper or -observed, and ` +
      'horizon with -spread';
    throw new CommandError(`--policies names ${name}; give ${known}`);
  }
  const mode = (hours === undefined ? name.split('-')[0] : 'horizon') as Policy['mode'];
  const confidence_level = numberArgument('policies', own ?? `${level}`, [0.5, 0.999], false);
  return {
    ...{ name, mode, demand: demand as NonNullable<Policy['demand']> },
    ...(demand === 'upper' && { confidence_level }),
    ...(hours !== undefined && { horizon_hours: horizonHours }),
  };
}
