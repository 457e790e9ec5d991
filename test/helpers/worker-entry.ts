/** The process of `spawnWorkerProcess`: a worker with all settings of its test, also those that no environment has. */
import type { Config } from '../../src/config.ts';
import { runProcess } from '../../src/process/lifecycle.ts';
import { createLogger, logWarnings } from '../../src/process/logger.ts';
import { startWorker } from '../../workers/main.ts';

await runProcess(async (signal) => {
  const config: Config = JSON.parse(process.env.TEST_CONFIG!);
  const logger = createLogger('worker', config);
  logWarnings(logger);
  return startWorker(config, logger, signal);
});
