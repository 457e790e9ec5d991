import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLogFile } from '../../../src/commands/start/log-file.ts';
import { newTemporaryFolder, removeFolder } from '../../helpers/folders.ts';

let folder: string;
beforeEach(async () => {
  folder = await newTemporaryFolder('logs');
});
afterEach(() => removeFolder(folder));

test('a log is bounded: the newest lines are kept, whole and in order, in files that only their owner can read', async () => {
  const log = await openLogFile(folder, 'api.log', { maxBytes: 1000, kept: 2 });
  const source = new PassThrough();
  log.follow(source);
  const ended = new Promise((resolve) => source.once('end', resolve));
  const lines = Array.from({ length: 400 }, (_, i) => JSON.stringify({ line: i }));
  // In pieces that end within lines.
  const text = `${lines.join('\n')}\n`;
  for (let at = 0; at < text.length; at += 37) source.write(text.slice(at, at + 37));
  source.end();
  await ended;
  await log.close();

  expect((await readdir(folder)).toSorted()).toEqual(['api.log', 'api.log.1', 'api.log.2']);
  const kept: string[] = [];
  for (const name of ['api.log.2', 'api.log.1', 'api.log']) {
    const { size, mode } = await stat(path.join(folder, name));
    expect(size).toBeLessThan(1100);
    expect((mode & 0o777).toString(8)).toBe('600');
    const content = await readFile(path.join(folder, name), 'utf8');
    if (content) kept.push(...content.trimEnd().split('\n'));
  }
  expect(kept.length).toBeGreaterThan(100);
  expect(kept).toEqual(lines.slice(-kept.length));
});

test('a line that was cut, by a full disk or the end of a process, is ended before the next one', async () => {
  const file = path.join(folder, 'api.log');
  const write = async (line: string) => {
    const log = await openLogFile(folder, 'api.log');
    const source = new PassThrough();
    log.follow(source);
    const ended = new Promise((resolve) => source.once('end', resolve));
    source.end(line);
    await ended;
    await log.close();
  };
  await writeFile(file, 'whole\n{"cut');
  await write('next\n');
  await write('last\n');
  expect(await readFile(file, 'utf8')).toBe('whole\n{"cut\nnext\nlast\n');
});

test('a log that could not be written, as on a full disk, comes back by itself, and says that lines are missing', async () => {
  const noted = vi.spyOn(console, 'error').mockImplementation(() => {});
  // A folder in the place of the file refuses every line, also to root.
  const file = path.join(folder, 'api.log');
  await mkdir(file);
  const log = await openLogFile(folder, 'api.log');
  const source = new PassThrough();
  log.follow(source);
  source.write('lost\n');
  await expect.poll(() => noted.mock.calls.length).toBeGreaterThan(0);
  await rmdir(file);
  let line = 0;
  const content = () => readFile(file, 'utf8').catch(() => '');
  await expect
    .poll(async () => {
      source.write(`line ${line++}\n`);
      return content();
    })
    .toContain('line');
  source.end();
  await log.close();
  expect(await content()).not.toContain('lost');
  noted.mockRestore();
});
