import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SettingsSchema } from '../src/config.ts';

const root = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

type Setting = { default?: unknown; description: string };

describe('the README', () => {
  test('has every setting with its default and meaning', () => {
    const rows = Object.entries(SettingsSchema.properties as unknown as Record<string, Setting>).map(
      ([name, { default: value, description }]) => {
        const shown = name === 'WORKERS' ? 'cores' : value === undefined ? '' : `\`${value}\``;
        return `| \`${name}\` | ${shown} | ${description} |`;
      },
    );
    const readme = read('README.md');
    expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
    expect(readme.match(/^\| `[A-Z_]+` \|/gm)?.length).toBe(rows.length);
  });

  test('has no link to a file that does not exist', () => {
    const links = [...read('README.md').matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1]);
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !existsSync(path.join(root, link)))).toEqual([]);
  });
});

describe('every setting', () => {
  test('is used somewhere outside the schema', () => {
    const sources = ['src', 'workers'].flatMap((folder) => sourcesIn(path.join(root, folder)));
    const text = sources
      .filter((file) => !file.endsWith('config.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    expect(Object.keys(SettingsSchema.properties).filter((name) => !text.includes(name))).toEqual([]);
  });
});

describe('the container files', () => {
  const compose = parse(read('docker-compose.yml'), { merge: true });
  const scripts = JSON.parse(read('package.json')).scripts as Record<string, string>;

  test('name scripts and settings that exist', () => {
    for (const name of ['migrate', 'api', 'worker']) {
      const [command, script] = compose.services[name].command;
      expect(command).toBe('node');
      expect(existsSync(path.join(root, script)), script).toBe(true);
      expect(scripts[name]).toBe(`node ${script}`);
      for (const setting of Object.keys(compose.services[name].environment)) {
        expect(Object.keys(SettingsSchema.properties)).toContain(setting);
      }
    }
  });

  test('keep what the queue must not lose: append-only Redis without eviction, volumes, health checks', () => {
    expect(compose.services.redis.command).toEqual([
      'redis-server',
      '--appendonly',
      'yes',
      '--maxmemory-policy',
      'noeviction',
    ]);
    for (const name of ['postgres', 'redis', 'api', 'worker'])
      expect(compose.services[name].healthcheck.test).toBeDefined();
    for (const name of ['postgres', 'redis']) expect(compose.services[name].volumes).toHaveLength(1);
  });

  test('the image copies only what exists', () => {
    const copied = [...read('Dockerfile').matchAll(/^COPY (.+) \S+$/gm)].flatMap((match) =>
      match[1].split(' '),
    );
    expect(copied).toContain('src');
    expect(copied.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });
});

function sourcesIn(folder: string): string[] {
  return globSync('**/*.ts', { cwd: folder }).map((file) => path.join(folder, file));
}
