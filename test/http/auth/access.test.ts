import type { RouteOptions } from 'fastify';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { protect } from '../../../src/http/auth/protect.ts';
import type { App } from '../../../src/http/deps.ts';

/** An application with the hook of the service, and one route more, registered as the service registers its own. */
async function start(route: Pick<RouteOptions, 'url' | 'schema'>): Promise<unknown> {
  const app: App = Fastify();
  protect(app, undefined);
  const routes = async (own: typeof app) => {
    own.route({ method: 'GET', ...route, handler: async () => ({}) } as never);
  };
  try {
    await app.register(routes);
    await app.ready();
    return app.hasRoute({ method: 'GET', url: route.url });
  } finally {
    await app.close();
  }
}

describe('an application does not start with a route', () => {
  test('whose operation has no rule that says who may use it', async () => {
    const route = { url: '/api/v1/new', schema: { operationId: 'get_new' } };
    await expect(start(route)).rejects.toThrow('does not say who may use get_new');
  });

  test('without an operation, whose path has none, even if the path begins as another one', async () => {
    await expect(start({ url: '/new' })).rejects.toThrow('does not say who may use /new');
    await expect(start({ url: '/docs-of-new' })).rejects.toThrow('does not say who may use /docs-of-new');
    expect(await start({ url: '/docs/new' })).toBe(true);
  });

  test('unless a rule names it', async () => {
    expect(await start({ url: '/api/v1/new', schema: { operationId: 'list_jobs' } as never })).toBe(true);
  });
});
