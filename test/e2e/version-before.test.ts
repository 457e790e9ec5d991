import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newTemporaryFolder } from '../helpers/folders.ts';
import { findVersionBefore } from '../helpers/version-before.ts';

const folder = await newTemporaryFolder('history');
afterAll(() => rm(folder, { recursive: true, force: true }));

const git = (root: string, ...args: string[]) => {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', ['-C', root, ...who, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
};
const commit = (root: string) => {
  git(root, 'commit', '--quiet', '--allow-empty', '-m', 'a change');
  return git(root, 'rev-parse', 'HEAD');
};

test('the version before is the newest release before the present commit, which may be a release itself', () => {
  git(folder, 'init', '--quiet');
  const first = commit(folder);
  git(folder, 'tag', 'v0.1.0');
  git(folder, 'tag', 'notes-1');
  const second = commit(folder);
  expect(findVersionBefore(folder, true)).toBe(first);
  git(folder, 'tag', 'v0.2.0');
  expect(findVersionBefore(folder, true)).toBe(first);
  commit(folder);
  expect(findVersionBefore(folder, true)).toBe(second);
});

test('a shallow clone is refused in CI, where the history can be had; elsewhere tests are skipped', () => {
  const clone = path.join(folder, 'clone');
  git(folder, 'clone', '--quiet', '--depth', '1', `file://${folder}`, clone);
  expect(() => findVersionBefore(clone, true)).toThrow('the clone is shallow');
  expect(findVersionBefore(clone, false)).toBeUndefined();
});

test('before the first release it is the commit that changed its schema last, which may be the present one', async () => {
  const other = path.join(folder, 'other');
  git(folder, 'init', '--quiet', other);
  commit(other);
  expect(findVersionBefore(other, true)).toBeUndefined();
  await mkdir(path.join(other, 'migrations'));
  for (const text of ['made', 'changed']) {
    await writeFile(path.join(other, 'migrations/0000_tables.sql'), text);
    git(other, 'add', '.');
    const last = commit(other);
    expect(findVersionBefore(other, true)).toBe(last);
    commit(other);
    expect(findVersionBefore(other, true)).toBe(last);
  }
});
