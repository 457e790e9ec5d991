import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { replaceFolder } from '../../../src/commands/start/build-console.ts';
import { copyCheckout, newTemporaryFolder, removeFolder } from '../../helpers/folders.ts';

let folder: string;
beforeAll(async () => {
  folder = await newTemporaryFolder('console');
  await copyCheckout(folder, ['package.json', 'console', 'src']);
});
afterAll(() => removeFolder(folder));

/** Runs `npm run console`. @returns what it says */
async function build(): Promise<string> {
  const script = path.join(folder, 'src/commands/start/build-console.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  return `${code} ${output.trim()}`;
}

test('the console is built by several processes at once where its build is stale, and then by none', async () => {
  // What a build leaves that was killed, and one that still runs.
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  for (const name of [`.build-${dead}`, `.build-${dead}-last`, `.build-${process.pid}`]) {
    await mkdir(path.join(folder, 'console', name, 'assets'), { recursive: true });
  }
  const outputs = await Promise.all([build(), build()]);
  expect(outputs).toContain('0 built');
  // The second may have come when the first was done.
  expect(outputs.filter((output) => !/^0 (built|the build is up to date)$/.test(output))).toEqual([]);
  expect(existsSync(path.join(folder, 'console/dist/sources.txt'))).toBe(true);
  expect(await build()).toBe('0 the build is up to date');
  const left = readdirSync(path.join(folder, 'console')).filter((name) => name.startsWith('.build-'));
  expect(left).toEqual([`.build-${process.pid}`]);
});

test('a build that is ended says so, once Vite has ended, and leaves nothing behind', async () => {
  await writeFile(path.join(folder, 'console/dist/sources.txt'), 'others');
  const script = `
    const { buildConsole } = await import(${JSON.stringify(path.join(folder, 'src/commands/start/build-console.ts'))});
    const end = new AbortController();
    const ended = buildConsole({ onBuild: () => end.abort(new Error('Ctrl-C')), signal: end.signal });
    console.log(await ended.catch((error) => error.message));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  expect(output).toBe('the console was not built: Ctrl-C\n');
  const left = readdirSync(path.join(folder, 'console')).filter((name) => name.startsWith('.build-'));
  expect(left).toEqual([`.build-${process.pid}`]);
});

test('the last build stays where the new one cannot take its place', async () => {
  const place = path.join(folder, 'place');
  await mkdir(place);
  await writeFile(path.join(place, 'index.html'), 'the last');
  await expect(replaceFolder(path.join(folder, 'none'), place)).rejects.toThrow(/ENOENT/);
  expect(await readFile(path.join(place, 'index.html'), 'utf8')).toBe('the last');
});
