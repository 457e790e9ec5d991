import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
type Manifest = { name: string; dependencies?: object; optionalDependencies?: Record<string, string> };
const manifest = (folder: string) => JSON.parse(read(path.join(folder, 'package.json'))) as Manifest;

/** The packages that the modules of some files import, types apart. */
function importedBy(files: string): string[] {
  const names = globSync(files, { cwd: ROOT, exclude: ['**/{dist,node_modules}/**'] }).flatMap((file) => {
    const imports = read(file).matchAll(/^(?:import|export|\}) (?!type\b)(?:.* from )?'([^']+)'/gm);
    return [...imports].map(([, specifier]) => specifier!);
  });
  const packages = names
    .filter((name) => !/^(\.|node:)/.test(name) && !builtinModules.includes(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(packages)].toSorted();
}

describe('`npm start`, which installs no devDependencies, has', () => {
  test.each([
    ['the service', '{src,workers}/**/*.ts', '.'],
    ['the console', 'console/**/*.{ts,tsx}', 'console'],
    ['the command line', 'clients/cli/src/**/*.ts', 'clients/cli'],
  ])('what %s imports', (_what, files, folder) => {
    const { dependencies = {} } = manifest(folder);
    const imported = importedBy(files);
    expect(imported).not.toEqual([]);
    expect(imported.filter((name) => !(name in dependencies))).toEqual([]);
  });

  test('one version of Node, for each machine', () => {
    const versions = Object.entries(manifest('.').optionalDependencies!).filter(([name]) =>
      name.startsWith('node-'),
    );
    expect(versions).toHaveLength(5);
    expect(new Set(versions.map(([, version]) => version)).size).toBe(1);
  });
});
