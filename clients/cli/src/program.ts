import { Command } from 'commander';
import { addCompletion } from './commands/completion.ts';
import { addData } from './commands/data.ts';
import { addDoctor } from './commands/doctor.ts';
import { addForecast } from './commands/forecast.ts';
import { addJobs } from './commands/jobs.ts';
import { addPlans } from './commands/plans.ts';
import { addReplays } from './commands/replays.ts';
import { addRisk } from './commands/risk.ts';
import { addSchedules } from './commands/schedules.ts';
import { addSolve } from './commands/solve.ts';
import { DEFAULT_URL } from './context.ts';

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong input, 3 infeasible, 4 service away, 5 job cancelled, 6 not allowed,
130 interrupted (the job goes on).`;

/** All commands. @param env FLEET_URL and FLEET_API_KEY are the defaults of two options */
export function createProgram(env: Record<string, string | undefined>): Command {
  const program = new Command('fleet')
    .description('The command line of the Fleet Decision Service.')
    .option('--url <url>', 'address of the service (FLEET_URL)', env.FLEET_URL || DEFAULT_URL)
    .option('--json', "the service's answer as JSON, for programs", false)
    .option('--no-retry', 'do not try again where the service answers 503 or 429, or a connection is lost')
    .helpOption('-h, --help', 'what a command does, and its options')
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .showSuggestionAfterError();
  // The default of an option is shown by --help: a key must not be.
  program.option('--api-key <key>', 'key of the caller (FLEET_API_KEY)');
  if (env.FLEET_API_KEY) program.setOptionValueWithSource('apiKey', env.FLEET_API_KEY, 'env');
  addSolve(program);
  addForecast(program);
  addRisk(program);
  addJobs(program);
  addPlans(program);
  addSchedules(program);
  addReplays(program);
  addData(program);
  addDoctor(program);
  addCompletion(program);
  return program;
}
