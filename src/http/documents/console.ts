import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import staticFiles from '@fastify/static';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import type { App } from '../deps.ts';

const FOLDER = fileURLToPath(new URL('../../../console/dist', import.meta.url));
/** Vite puts a hash of the content into these names, so a name never gets another content. */
const HASHED = 'public, max-age=31536000, immutable';
const PATH = '/console';

/**
 * Stricter than that of the documents: scripts, styles and workers are files of the console itself. Only the ground of
 * the map may come from elsewhere, from the one host of its setting.
 */
function contentPolicy(mapUrl: string | undefined): string {
  const ground = mapUrl === undefined ? '' : ` ${new URL(mapUrl).origin}`;
  return [
    "default-src 'none'",
    "base-uri 'none'",
    `connect-src 'self'${ground}`,
    "font-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    `img-src 'self' data: blob:${ground}`,
    "script-src 'self'",
    "style-src 'self'",
    "worker-src 'self'",
  ].join('; ');
}

/**
 * Serves the console as it was built last: its hashed files for ever, compressed from the disk, and its page at every
 * other path below /console, which its own script reads.
 */
export async function registerConsole(app: App, config: Pick<Config, 'CONSOLE_MAP_URL'>): Promise<void> {
  const { CONSOLE_MAP_URL: mapUrl } = config;
  const policy = contentPolicy(mapUrl);
  const hidden = { schema: { hide: true } };
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', policy);
    });
    await scope.register(staticFiles, {
      root: FOLDER,
      serve: false,
      preCompressed: true,
      cacheControl: false,
    });
    const sendPage = async (reply: FastifyReply) => {
      const page = await readFile(`${FOLDER}/index.html`, 'utf8').catch(() => {
        const message =
          'the console is not built yet; `npm start` builds it in a minute or says what is wrong, ' +
          'and so does `npm run console`';
        throw new AppError('RESOURCE_NOT_FOUND', message);
      });
      return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page);
    };
    scope.get(`${PATH}/settings.json`, hidden, (_request, reply) =>
      reply.header('cache-control', 'no-cache').send({ map_url: mapUrl ?? null }),
    );
    scope.get(PATH, hidden, (_request, reply) => sendPage(reply));
    scope.get<{ Params: { '*': string } }>(`${PATH}/*`, hidden, (request, reply) => {
      const file = request.params['*'];
      if (!file.startsWith('assets/')) return sendPage(reply);
      // A file outside the folder is not even looked for: an answer must not tell whether it is there.
      if (file.split(/[\\/]/).includes('..') || !existsSync(`${FOLDER}/${file}`)) {
        throw new AppError('RESOURCE_NOT_FOUND', `${PATH}/${file} does not exist; open ${PATH} anew`);
      }
      return reply.header('cache-control', HASHED).sendFile(file);
    });
  });
}
