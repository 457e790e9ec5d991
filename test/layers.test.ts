import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');

/** Reads the table of src/README.md: | layer | folder or file | may import | packages |. */
function readTable(): { pattern: string; layers: string[] }[] {
  const text = readFileSync(path.join(root, 'src/README.md'), 'utf8');
  return [...text.matchAll(/^\| `([^`|]+)` \|[^|]*\| ([^|]*) \|$/gm)].map(([, pattern, allowed]) => ({
    pattern,
    layers: [...allowed.matchAll(/`([^`]+)`/g)].map((match) => match[1]),
  }));
}

const table = readTable();
const files = globSync(['src/**/*.ts', 'workers/**/*.ts', 'clients/*/src/**/*.ts'], { cwd: root });
const layerOf = (file: string) =>
  table
    .filter(({ pattern }) => file === pattern || file.startsWith(`${pattern}/`))
    .sort((a, b) => b.pattern.length - a.pattern.length)[0];
const importsOf = (file: string) =>
  [
    ...readFileSync(path.join(root, file), 'utf8').matchAll(
      /^(?:import|export)\b[^;]*?from '([^']+)'|\bimport\('([^']+)'\)/gms,
    ),
  ].map((m) => m[1] ?? m[2]);

test('every source file belongs to a layer of src/README.md', () => {
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => !layerOf(file))).toEqual([]);
});

test('every import follows the table of src/README.md', () => {
  const faults: string[] = [];
  for (const file of files) {
    const own = layerOf(file);
    for (const specifier of importsOf(file)) {
      if (
        specifier.startsWith('node:') &&
        !['src/core', 'src/contracts', 'clients/typescript'].some((pure) => file.startsWith(pure))
      )
        continue;
      const target = specifier.startsWith('.')
        ? layerOf(path.normalize(path.join(path.dirname(file), specifier)))?.pattern
        : specifier;
      const allowed =
        target === own.pattern ||
        own.layers.some((layer) => layer === target || (target ?? '').startsWith(`${layer}/`));
      if (!allowed) faults.push(`${file} imports ${specifier}`);
    }
  }
  expect(faults).toEqual([]);
});

test('a row of src/README.md names only rows above it, so imports point one way', () => {
  const faults = table.flatMap(({ pattern, layers }, at) =>
    layers
      .filter((layer) => table.findIndex((row) => row.pattern === layer) > at)
      .map((layer) => `${pattern} names ${layer}, which stands below it`),
  );
  expect(faults).toEqual([]);
});

test('imports form no cycle, not even those of types', () => {
  const all = globSync(['{src,workers,test,bench,console/src}/**/*.{ts,tsx}', 'clients/*/src/**/*.ts'], {
    cwd: root,
  });
  const targets = new Map(
    all.map((file) => [
      file,
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => path.normalize(path.join(path.dirname(file), specifier))),
    ]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const follow = (file: string, way: string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    done.add(file);
    for (const target of targets.get(file) ?? []) follow(target, [...way, file]);
  };
  for (const file of all) follow(file, []);
  expect(circles).toEqual([]);
});

test('highs is imported by one file, ioredis and bullmq by the queue, process.env read by the settings', () => {
  const using = (pattern: RegExp) =>
    files.filter((file) => pattern.test(readFileSync(path.join(root, file), 'utf8')));
  expect(using(/from 'highs'/)).toEqual(['src/core/optimize/highs/highs.ts']);
  expect(using(/from '(ioredis|bullmq)'/).filter((file) => !file.startsWith('src/queue/'))).toEqual([]);
  expect(using(/process\.env\b/).sort()).toEqual([
    'clients/cli/src/run.ts',
    'src/commands/start/embedded-postgres.ts',
    'src/commands/start/processes.ts',
    'src/config.ts',
  ]);
});

test('the core reads a clock in one file, and holds shares of the time in one', () => {
  const core = files.filter((file) => file.startsWith('src/core/'));
  const using = (pattern: RegExp) =>
    core.filter((file) => pattern.test(readFileSync(path.join(root, file), 'utf8')));
  expect(using(/performance\.now|Date\.now|new Date\(\)|hrtime|threadCpuUsage/)).toEqual([
    'src/core/optimize/run/clock.ts',
  ]);
  expect(using(/const [A-Z_]+_MS\b/)).toEqual([]);
});

test('modules of the core hold no state: caches are handed down', () => {
  const state =
    /^(export )?(let |var |const \w+(: [^=\n]+)? = (new (Map|Set|WeakMap|WeakSet|Array)\b|\[\];|\{\};))/m;
  const holding = files
    .filter((file) => file.startsWith('src/core/'))
    .filter((file) => state.test(readFileSync(path.join(root, file), 'utf8')));
  expect(holding).toEqual([]);
});
