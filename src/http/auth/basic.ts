import type { App } from '../deps.ts';

/**
 * Lets a browser open pages that need a key: it asks its user for a name and a password, of which the password is the
 * key or token. Only below one path, where nothing can be changed: a browser sends it with every request there, also
 * with those that a foreign page makes. Call it before `protect`.
 */
export function acceptBasic(app: App, path: string): void {
  const isBelow = (url: string) =>
    /^[/?]?$/.test(url.slice(path.length, path.length + 1)) && url.startsWith(path);
  app.addHook('onRequest', async (request) => {
    if (!isBelow(request.url)) return;
    const [, encoded] = /^Basic +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    if (encoded === undefined) return;
    const password = Buffer.from(encoded, 'base64').toString().split(':').slice(1).join(':');
    request.headers.authorization = `Bearer ${password}`;
  });
  app.addHook('onSend', async (request, reply) => {
    const bearer = reply.getHeader('www-authenticate');
    if (reply.statusCode !== 401 || typeof bearer !== 'string' || !isBelow(request.url)) return;
    reply.header('www-authenticate', ['Basic realm="fleet", charset="UTF-8"', bearer]);
  });
}
