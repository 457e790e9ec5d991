/**
 * `npm run replay -- [--database] [--from 2017-04-27] [--days 7] [--fleet 8000] [--price 6]
 * [--policies none,nightly,…] [--confidence 0.95] [--seeds 3] [--holidays US] [--events FILE] [--svg FILE]
 * [--json FILE]`: what plans would have brought on past demand, of the New York sample or of a database.
 *
 * Exit codes: 0 done, 1 the period was not observed or the data cannot be used, 2 invalid command line.
 */
import { writeFile } from 'node:fs/promises';
import { SingleBar } from 'cli-progress';
import { replay } from '../../core/replay/replay.ts';
import { CommandError } from '../command-line.ts';
import { readDatabasePast } from './database-past.ts';
import { readCommandLine, USAGE } from './options.ts';
import { readSamplePast } from './sample-past.ts';
import { allFigures, asWhole, drawing, tableOf } from './show.ts';

async function main(): Promise<void> {
  const command = readCommandLine(process.argv.slice(2));
  if (!command) {
    process.stdout.write(USAGE);
    return;
  }
  const { request, days } = command;
  const prepared = command.isDatabase ? await readDatabasePast(request) : await readSamplePast(command);
  const { past, fleet, forecasts, options } = prepared;
  // Without a terminal there is no bar, so that redirected output holds only the table.
  const bar = new SingleBar({ format: 'replay {bar} {percentage} %', clearOnComplete: true });
  const began = process.cpuUsage();
  bar.start(1, 0);
  const onProgress = (done: number, total: number) => bar.update(done / total);
  const report = await replay(past, fleet, forecasts, options, { onProgress });
  bar.stop();
  if (!report) return;
  const { user, system } = process.cpuUsage(began);
  const size = fleet.reduce((sum, vehicles) => sum + vehicles, 0);
  const demand = past.demand.reduce((sum, trips) => sum + trips, 0);
  const title = `${asWhole(size)} vehicles, ${days} days from ${request.from}, ${asWhole(demand)} trips`;
  const bound =
    report.bound === null
      ? 'No bound was found in time.'
      : `No policy has less than ${asWhole(report.bound)} for moving and lost trips (proved).`;
  process.stdout.write(
    `${title}; a lost trip costs ${request.unmet_demand_cost} km.\n\n${tableOf(report)}\n\n${bound}\n` +
      `${((user + system) / 1e6).toFixed(0)} s of processor time.\n`,
  );
  const { svg, json } = command;
  if (svg !== undefined) await writeFile(svg, drawing(title, past, report, request.from));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(allFigures(past, report))}\n`);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}
