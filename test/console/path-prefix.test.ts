import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createFleetClient } from 'fleet-client';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { buildConsole } from '../../src/commands/start/build-console.ts';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { readBlocks } from '../docs/blocks.ts';
import { atEnd } from '../helpers/at-end.ts';
import { watchPage } from '../helpers/browser.ts';
import { addressOf, connectBrowser, hasBrowser, openPage } from '../helpers/console.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { stopProcess } from '../helpers/global-setup.ts';
import { findProgram, untilItListens } from '../helpers/programs.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '../..');
const DOCUMENT = 'docs/operator/deployment.md';
const redisUrl = inject('redisUrl');

/** Debian puts it where only root looks. */
const nginx = findProgram('nginx') ?? ['/usr/sbin/nginx'].find(existsSync);
if (!nginx) console.warn('SKIPPED: a path prefix through a real proxy; no nginx was found');

/** The nginx of the document in front of a service. @returns the address that callers know */
async function startNginx(serviceUrl: string): Promise<string> {
  const folder = await newTemporaryFolder('nginx');
  const port = await freePort();
  const blocks = readBlocks(readFileSync(path.join(ROOT, DOCUMENT), 'utf8'));
  const { text } = blocks.find(({ language }) => language === 'nginx')!;
  const [service, listen] = [new URL(serviceUrl).host, `listen 127.0.0.1:${port};`];
  const server = text.replace('127.0.0.1:8000', service).replace('listen 80;', listen);
  expect(server).toContain(service);
  expect(server).toContain(listen);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (of) => `${of}_temp_path ${folder}/${of};`,
  );
  const file = path.join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
access_log off;
${temporary.join('\n')}
${server}
}
`,
  );
  const child = spawn(nginx!, ['-p', folder, '-e', 'stderr', '-c', file], { stdio: 'inherit' });
  atEnd(async () => {
    await stopProcess(child);
    await removeFolder(folder);
  });
  await untilItListens(child, port);
  return `http://127.0.0.1:${port}/fleet`;
}

describe('the prefix of a request', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let url: string;
  beforeAll(async () => {
    service = await startTestService({ workers: 0, overrides: { HTTP_TRUSTED_PROXIES: '127.0.0.1' } });
    url = service.url!;
  });
  const guideOf = async (base: string, prefix?: string) => {
    const answer = await send(
      base,
      prefix === undefined ? {} : { headers: { 'x-forwarded-prefix': prefix } },
    );
    expect(answer.status).toBe(200);
    return answer.body.data.links.guide;
  };

  test('is before each address that leaves the service: links, servers, redirects, pages, Location', async () => {
    const headers = { 'x-forwarded-prefix': '/tools/fleet', 'x-forwarded-host': 'a.example:8443' };
    const get = (to: string) =>
      send(`${url}${to}`, { headers: { ...headers, 'x-forwarded-proto': 'https' } });
    const { links } = (await get('/')).body.data;
    for (const link of Object.values(links)) expect(link).toMatch(/^\/tools\/fleet\/[a-z]/);
    for (const document of ['/openapi.json', '/docs/json']) {
      expect((await get(document)).body.servers).toMatchObject([{ url: '/tools/fleet' }]);
    }
    expect((await get('/docs/yaml')).text).toMatch(/^servers:\n {2}- url: \/tools\/fleet\n/m);
    expect((await get('/asyncapi.json')).body.servers.service).toEqual({
      host: 'a.example:8443',
      pathname: '/tools/fleet/',
      protocol: 'wss',
    });
    for (const page of ['/docs', '/redoc', '/guide/docs/README.md']) {
      const { text } = await get(page);
      const addresses = [...text.matchAll(/ (?:href|src|spec-url)="(\/[^"]*)"/g)].map(
        ([, address]) => address,
      );
      expect(addresses.length, page).toBeGreaterThan(1);
      expect(addresses.filter((address) => !address.startsWith('/tools/fleet/'))).toEqual([]);
    }
    const moved = await fetch(`${url}/guide`, { headers, redirect: 'manual' });
    expect(moved.headers.get('location')).toBe('/tools/fleet/guide/docs/README.md');
    const accepted = await send(`${url}/api/v1/optimize`, {
      body: simpleRequest(),
      headers: { ...headers, prefer: 'respond-async' },
    });
    expect(accepted.headers.get('location')).toBe(`/tools/fleet/api/v1/jobs/${accepted.body.data.job_id}`);
  });

  test('is a plain path, or none: nobody is led to another host or out of an attribute', async () => {
    expect(await guideOf(url, '/a.b-c_d~/')).toBe('/a.b-c_d~/guide');
    expect(await guideOf(url, '/')).toBe('/guide');
    const bad = ['//evil.example', 'evil', 'https://evil.example', '/a//b', '/a/../b', '/.', '/a"b', "/a'b"];
    bad.push(
      '/a b',
      '/a\tb',
      '/a%2fb',
      '/a\\b',
      '/\\evil.example',
      '/a?b',
      '/a#b',
      '/a:b',
      '/a@b',
      '/é',
      '/a, /b',
    );
    bad.push('/a<b', `/${'x'.repeat(65)}`, '/a'.repeat(9));
    for (const prefix of bad) expect([prefix, await guideOf(url, prefix)]).toEqual([prefix, '/guide']);
  });

  test('is believed only of a trusted proxy, and kept answers are told apart by it', async () => {
    const { url: other } = await service.startApi({ HTTP_TRUSTED_PROXIES: '10.0.0.0/8' });
    const { url: alone } = await service.startApi({ HTTP_TRUSTED_PROXIES: undefined });
    expect(await guideOf(other, '/fleet')).toBe('/guide');
    expect(await guideOf(alone, '/fleet')).toBe('/guide');
    const varyOf = async (base: string) => (await fetch(`${base}/guide/docs/README.md`)).headers.get('vary');
    expect([await varyOf(url), await varyOf(alone)]).toEqual([
      'x-forwarded-prefix, accept-encoding',
      'accept-encoding',
    ]);
  });

  test('may be a setting, for a proxy that cannot name it', async () => {
    const { url: set } = await service.startApi({ HTTP_PATH_PREFIX: '/fleet' });
    expect(await guideOf(set)).toBe('/fleet/guide');
    expect(await guideOf(set, '/other')).toBe('/other/guide');
  });
});

describe.skipIf(!nginx)(`behind the nginx of ${DOCUMENT}${nginx ? '' : ' (no nginx was found)'}`, () => {
  let base: string;
  const overrides = { HTTP_TRUSTED_PROXIES: '127.0.0.1' };
  beforeAll(async () => {
    await buildConsole();
    base = await startNginx((await startTestService({ sample: true, overrides })).url!);
  });

  test('a job is accepted, found at its Location, and followed to its end', async () => {
    const accepted = await send(`${base}/api/v1/decisions`, {
      body: {},
      headers: { prefer: 'respond-async' },
    });
    expect(accepted.status, accepted.text).toBe(202);
    const { job_id } = accepted.body.data;
    const socket = await openSocket(base);
    socket.send({ type: 'subscribe', job_id });
    const { result } = await socket.waitFor(({ type }) => type === 'complete');
    expect(result.status).toBe('success');
    socket.close();
    const job = await send(new URL(accepted.headers.get('location')!, base).href);
    expect(job.body.data).toMatchObject({ job_id, status: 'completed' });
  });

  test('the address without a slash at its end leads to the service, and links lead on from there', async () => {
    const answer = await send(base);
    expect(answer.status).toBe(200);
    for (const link of Object.values<string>(answer.body.data.links)) {
      expect([link, (await send(new URL(link, base).href)).status]).toEqual([link, 200]);
    }
  });

  test('the id of a vehicle may have any signs', async () => {
    const vehicle = { vehicle_id: 'a/b%2F?c ü', location_id: 4, capacity: 1, status: 'operational' };
    const stored = await send(`${base}/api/v1/data/fleet`, { method: 'PUT', body: { fleet: [vehicle] } });
    expect(stored.status, stored.text).toBe(201);
    const at = `${base}/api/v1/data/fleet/${encodeURIComponent(vehicle.vehicle_id)}`;
    const deleted = await send(at, { method: 'DELETE' });
    expect([deleted.status, deleted.text]).toEqual([200, expect.stringContaining('vehicle')]);
  });

  test('client and command line take an address with a path', async () => {
    for (const url of [base, `${base}/`]) {
      const fleet = createFleetClient({ url });
      const job = await fleet.submit('/api/v1/decisions', {});
      expect(await fleet.waitFor(job)).toMatchObject({ status: 'success' });
      const doctor = [path.join(ROOT, 'clients/cli/src/main.ts'), 'doctor', '--url', url, '--json'];
      const { findings } = JSON.parse((await run(process.execPath, doctor)).stdout);
      expect(findings.length).toBeGreaterThan(5);
      expect(findings.filter(({ remedy }: { remedy?: string }) => remedy !== undefined)).toEqual([]);
    }
  });

  describe.skipIf(!hasBrowser)('in Chromium', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await connectBrowser();
    });
    const open = async (to: string) => {
      const page = await browser.newPage();
      const { requested, complaints } = watchPage(page);
      await page.goto(`${base}${to}`);
      const close = async () => {
        expect(complaints).toEqual([]);
        const elsewhere = requested.filter(
          (asked) => !asked.startsWith(`${base}/`) && !/^(data|blob):/.test(asked),
        );
        expect(elsewhere).toEqual([]);
        await page.close();
      };
      return { page, close };
    };

    test('the console plans, follows its job over the WebSocket, and shows each page', async () => {
      const { page, close } = await openPage(browser, base, '');
      const sockets: string[] = [];
      const frames: string[] = [];
      page.on('websocket', (socket) => {
        sockets.push(socket.url());
        socket.on('framereceived', ({ payload }) => frames.push(String(payload)));
      });
      await page.getByRole('button', { name: 'Plan again' }).click();
      await expect.poll(() => frames).toContainEqual(expect.stringContaining('"type":"complete"'));
      expect(sockets[0]).toBe(`${base.replace('http', 'ws')}/ws/optimization`);
      await page.getByRole('heading', { level: 1, name: /372 vehicles/ }).waitFor();
      const links = page.getByRole('navigation').getByRole('link');
      for (const name of await links.allTextContents()) {
        const link = page.getByRole('link', { name, exact: true });
        await link.click();
        await page.locator('h1').first().waitFor();
        expect(await addressOf(page)).toBe(new URL((await link.getAttribute('href'))!, base).href);
      }
      // The page that the browser asks for itself.
      await page.reload();
      await page.locator('h1').first().waitFor();
      await page.keyboard.press('?');
      expect(await page.getByRole('link', { name: '/docs' }).getAttribute('href')).toBe(`${base}/docs`);
      await close();
    });

    test('/docs sends what is tried there to the service', async () => {
      const { page, close } = await open('/docs');
      const operation = page.locator('#operations-service-get_liveness');
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table').getByText('"alive": true').waitFor();
      await close();
    });

    test('/redoc shows the operations', async () => {
      const { page, close } = await open('/redoc');
      await page.getByRole('heading', { name: 'Current configuration, without secrets' }).waitFor();
      await close();
    });

    test('/guide is read and searched, and leads to the console', async () => {
      const { page, close } = await open('/guide');
      await page.getByRole('combobox').fill('retention_plan');
      await page.getByRole('option').first().click();
      await page.waitForURL(/\.md#/);
      await page.getByText('RETENTION_PLAN_DAYS').first().waitFor();
      await page.getByRole('link', { name: 'Console', exact: true }).click();
      await page.getByRole('navigation').getByRole('link').first().waitFor();
      expect(await addressOf(page)).toBe(`${base}/console`);
      await close();
    });

    test.skipIf(redisUrl === '')('/queues shows the queue on Redis', async () => {
      const options = { redisUrl, workers: 0, overrides: { ...overrides, QUEUE_BOARD: true } };
      const board = await startNginx((await startTestService(options)).url!);
      const headers = { prefer: 'respond-async' };
      await send(`${board}/api/v1/optimize`, { body: simpleRequest(), headers });
      // Its own connection to Redis may come up after the service.
      await expect.poll(async () => (await send(`${board}/queues`)).status).toBe(200);
      const page = await browser.newPage();
      const { requested, complaints } = watchPage(page);
      await page.goto(`${board}/queues/queue/optimization?status=waiting`);
      await page.getByText('#1').first().waitFor();
      expect(requested.filter((asked) => !asked.startsWith(`${board}/`))).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    });
  });
});
