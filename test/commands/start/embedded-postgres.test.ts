import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/commands/start/embedded-postgres.ts';
import { loadConfig } from '../../../src/config.ts';
import { newTemporaryFolder, removeFolder } from '../../helpers/folders.ts';

const SETTINGS = { fsync: 'off' };

describe('the embedded PostgreSQL', () => {
  let folder: string;
  let server: EmbeddedPostgres | undefined;
  beforeAll(async () => {
    folder = await newTemporaryFolder('embedded');
    server = await startEmbeddedPostgres(path.join(folder, 'postgres'), SETTINGS);
  });
  afterAll(async () => {
    await server?.stop();
    await removeFolder(folder);
  });

  async function ask<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client
      .query<T>(text)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }

  test('is used by a role that owns its database and may do nothing else on the server', async () => {
    const { url } = server!;
    const [role] = await ask(
      url,
      `select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles where rolname = current_user`,
    );
    expect(Object.values(role!)).toEqual([false, false, false, false, false]);
    await expect(ask(url, 'create database other')).rejects.toThrow(/permission denied/);
    await expect(ask(url, "copy (select 1) to program 'true'")).rejects.toThrow(/permission denied/);
    await expect(ask(url, 'select rolpassword from pg_authid')).rejects.toThrow(/permission denied/);
  });

  test('lets only its own user read passwords, data and logs, and shows no password', async () => {
    const { passwordFile, shownUrl, url, folder: root } = server!;
    const password = await readFile(passwordFile, 'utf8');
    expect(decodeURIComponent(new URL(url).password)).toBe(password);
    expect(shownUrl).not.toContain(password);
    const mode = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
    expect(await mode(passwordFile)).toBe('600');
    expect(await mode(path.join(root, 'password'))).toBe('600');
    expect(await mode(root)).toBe('700');
    expect(await mode(path.join(root, 'data'))).toBe('700');
    const [{ file } = { file: '' }] = await ask<{ file: string }>(
      server!.adminUrl,
      'select pg_current_logfile() as file',
    );
    expect(file).toMatch(/^log\/postgresql-\w{3}\.log$/);
    expect(await mode(path.join(root, 'data', file))).toBe('600');
  });

  test('can be reached with the settings that npm start prints', async () => {
    const { shownUrl, passwordFile } = server!;
    const { DATABASE_URL } = loadConfig({ DATABASE_URL: shownUrl, DATABASE_PASSWORD_FILE: passwordFile });
    expect(await ask(DATABASE_URL!, 'select current_user as name')).toEqual([{ name: 'fleet_service' }]);
  });

  test('starts again at once after it was killed, with the stored data', async () => {
    const { folder: root, adminUrl } = server!;
    await ask(adminUrl, 'create table kept as select 7 as n');
    const [postmaster = ''] = (await readFile(path.join(root, 'data', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(postmaster), 'SIGKILL');
    server = await startEmbeddedPostgres(root, SETTINGS);
    expect(await ask(server.adminUrl, 'select n from kept')).toEqual([{ n: 7 }]);
  });
});
