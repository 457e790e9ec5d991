import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../../config.ts';
import { openDatabase } from '../../db/client.ts';
import { assertMigrated } from '../../db/migrate.ts';
import { describeStartError } from '../../process/lifecycle.ts';
import { ImportError } from './faults.ts';
import { type ImportFiles, type ImportResult, importFiles } from './import-files.ts';
import { openProgress } from './progress.ts';
import { importSample } from './sample.ts';

const USAGE = `npm run import -- [--locations <file>] [--fleet <file>] [--demand <file>] [--events <file>]
                       [--travel <file>] [--trip-flows <file>]
npm run import -- --sample

Imports CSV or CSV.gz files into the database at DATABASE_URL: all of them, or nothing if there is any fault.
Rows whose key is already stored replace the stored row; nothing is deleted.

  --locations <file>  id,name,latitude,longitude[,time_zone][,active][,expected_daily_demand]
                      [,priority]
  --fleet <file>      vehicle_id,location_id[,status][,capacity][,acquired_on][,last_maintenance_on]
                      [,utilization_rate][,available_at]
  --demand <file>     location_id,hour_utc_iso|hour,pickups|demand
  --events <file>     event_id[,location_id],from,to,kind[,factor][,name]
  --travel <file>     from_location_id,to_location_id,distance_km,duration_minutes
  --trip-flows <file> from_location_id,to_location_id,trips[,hour_of_week]
  --sample            the New York sample of data/nyc and a generated fleet
  --help
`;

type Command = { help: true } | { sample: true } | { files: ImportFiles };

/** Reads the command line. @throws ImportError if it is invalid */
export function readCommand(args: string[]): Command {
  const { help, sample, 'trip-flows': tripFlows, ...others } = parse(args);
  if (help) return { help };
  const files = { ...others, ...(tripFlows !== undefined && { trip_flows: tripFlows }) };
  const isAnyFile = Object.keys(files).length > 0;
  if (sample && isAnyFile)
    throw new ImportError(['--sample has its own files; give either --sample or files']);
  if (sample) return { sample };
  if (!isAnyFile) throw new ImportError(['nothing to import; `npm run import -- --help` lists the files']);
  return { files };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args,
      options: {
        locations: text,
        fleet: text,
        demand: text,
        events: text,
        travel: text,
        'trip-flows': text,
        sample: flag,
        help: flag,
      },
    }).values;
  } catch (error) {
    throw new ImportError([`${(error as Error).message}; \`npm run import -- --help\` lists the options`]);
  }
}

async function run(command: Exclude<Command, { help: true }>): Promise<string[]> {
  const { DATABASE_URL } = loadConfig();
  if (!DATABASE_URL) {
    throw new ConfigError([
      'DATABASE_URL is not set; set it to the database to import into (`npm start` runs its own, loads ' +
        'the sample into it and prints the value)',
    ]);
  }
  const { pool, close } = openDatabase(DATABASE_URL, { poolSize: 1, onError: () => {} });
  const progress = openProgress(process.stderr);
  try {
    await assertMigrated(pool);
    const result =
      'sample' in command
        ? await importSample(pool, progress)
        : await importFiles(pool, command.files, progress);
    return summarize(result);
  } finally {
    progress.close();
    await close();
  }
}

function summarize(result: ImportResult): string[] {
  return Object.entries(result).map(
    ([stage, { created, updated }]) => `${stage}: ${created} created, ${updated} updated`,
  );
}

if (import.meta.main) {
  try {
    const command = readCommand(process.argv.slice(2));
    const lines = 'help' in command ? [USAGE.trimEnd()] : await run(command);
    for (const line of lines) console.log(line);
  } catch (error) {
    const lines = error instanceof ImportError ? error.problems : describeStartError(error);
    for (const line of lines) console.error(line);
    process.exitCode = 1;
  }
}
