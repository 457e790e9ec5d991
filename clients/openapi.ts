import { loadConfig } from '../src/config.ts';
import { buildApp } from '../src/http/app.ts';
import type { Deps } from '../src/http/deps.ts';
import { createLogger } from '../src/process/logger.ts';

/**
 * The service's OpenAPI document, the same as its `/openapi.json` with default settings. Nothing has to run for it:
 * routes describe themselves when the application is built, and use what they get only for requests.
 */
export async function readOpenApiDocument(): Promise<object> {
  const config = loadConfig({});
  const logger = createLogger('api', { ...config, LOG_LEVEL: 'silent' });
  const app = await buildApp({ config, logger, database: {} } as unknown as Deps);
  await app.ready();
  return app.swagger();
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await readOpenApiDocument(), null, 2)}\n`);
