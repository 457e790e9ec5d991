import { AppError } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import type { Tier } from '../../contracts/access.ts';
import { openRequestCounter, RATE_WINDOW_SECONDS } from '../../queue/request-counter.ts';
import type { App, Deps } from '../deps.ts';
import { hasRoute } from '../service/known-paths.ts';
import { readCaller } from './caller.ts';

/** Whether the requests of callers are limited. */
export const limitsRequests = ({ RATE_LIMITS: limits }: Pick<Config, 'RATE_LIMITS'>): boolean =>
  limits !== 'off';

/**
 * Limits the requests of each caller by its tier, across all API processes. What is public is not counted: probes and
 * pages have to be there for whoever is over the limit, too. Call it after `protect`, which says who calls.
 */
export async function limitRequests(app: App, { config, database, logger }: Deps): Promise<void> {
  if (!limitsRequests(config)) return;
  const [ofDefault, ofPremium] = config.RATE_LIMITS.split(',').map(Number);
  const limits: Record<Tier, number | undefined> = {
    default: ofDefault,
    premium: ofPremium,
    enterprise: undefined,
  };
  const counter = openRequestCounter(config, database.pool, (err) => logger.warn({ err }, 'request counts'));
  await counter.connected;
  app.addHook('onClose', async () => counter.close());
  app.addHook('onRequest', async (request, reply) => {
    if (!hasRoute(request) || request.routeOptions.config.access === 'public') return;
    const { owner, tier: ownTier } = request.identity;
    // Without authentication everybody is an address of the lowest tier.
    const tier = owner === null ? 'default' : ownTier;
    const limit = limits[tier];
    if (limit === undefined) return;
    const { isOver, remaining, resetSeconds } = await counter.count(readCaller(request).caller, limit);
    reply.header('ratelimit-policy', `"${tier}";q=${limit};w=${RATE_WINDOW_SECONDS}`);
    reply.header('ratelimit', `"${tier}";r=${remaining};t=${resetSeconds}`);
    if (!isOver) return;
    const message = `more than ${limit} requests within a minute; try again in ${resetSeconds} seconds`;
    throw new AppError('RATE_LIMITED', message, resetSeconds);
  });
}
