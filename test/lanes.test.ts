import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createVitest } from 'vitest/node';

const ROOT = path.join(import.meta.dirname, '..');

/** Files of tests by lane, as vitest finds them. */
async function filesByLane(): Promise<Map<string, string[]>> {
  const vitest = await createVitest('test', { root: ROOT, watch: false });
  try {
    const lanes = new Map(vitest.projects.map(({ name }) => [name, [] as string[]]));
    for (const { moduleId, project } of await vitest.globTestSpecifications()) {
      lanes.get(project.name)?.push(moduleId);
    }
    return lanes;
  } finally {
    await vitest.close();
  }
}

const lanes = await filesByLane();

/** The files under test/ that a test file imports, by any number of steps, with itself. */
function testFilesBehind(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(file)) return seen;
  seen.add(file);
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
    const target = path.join(path.dirname(file), specifier!);
    if (target.startsWith(path.join(ROOT, 'test'))) testFilesBehind(target, seen);
  }
  return seen;
}

/** Whether a test needs servers, processes or a browser, itself or by what it imports. */
function needsMore(file: string): boolean {
  const mark = /\binject\(|from '(node:child_process|ioredis|bullmq|playwright-core)'/;
  return [...testFilesBehind(file)].some((one) => mark.test(readFileSync(one, 'utf8')));
}

test('every test is in one lane, and the fast ones need no server and no process', () => {
  const files = [...lanes.values()].flat().map((file) => path.relative(ROOT, file));
  expect(files.toSorted()).toEqual(globSync('test/**/*.test.ts', { cwd: ROOT }).toSorted());
  const isSlow = (file: string) => readFileSync(file, 'utf8').includes('@module-tag slow');
  const fast = lanes.get('unit')!.filter((file) => !isSlow(file));
  expect(fast.filter(needsMore)).toEqual([]);
});

test('`npm test` and `npm run test:rest` run each lane once', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const named = `${scripts.test} ${scripts['test:rest']}`.matchAll(/--project (\w+)/g);
  expect([...named].map(([, lane]) => lane).toSorted()).toEqual([...lanes.keys()].toSorted());
});
