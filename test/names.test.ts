import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const DECLARATION =
  /^export (?:async )?(?:declare )?(?:abstract )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm;

/** Per exported name the files that declare it; a schema and its type of the same name are one file. */
function readExports(): Map<string, Set<string>> {
  const files = globSync('{src,workers,test,bench,clients}/**/*.ts', {
    cwd: root,
    exclude: ['**/{dist,node_modules}/**'],
  });
  const declaredIn = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [, name] of readFileSync(path.join(root, file), 'utf8').matchAll(DECLARATION)) {
      declaredIn.set(name, (declaredIn.get(name) ?? new Set()).add(file));
    }
  }
  return declaredIn;
}

test('an exported name is declared in one file, so that it has one meaning', () => {
  const declaredIn = readExports();
  expect(declaredIn.size).toBeGreaterThan(1000);
  const twice = [...declaredIn].filter(([, files]) => files.size > 1);
  expect(twice.map(([name, files]) => `${name}: ${[...files].sort().join(', ')}`)).toEqual([]);
});
