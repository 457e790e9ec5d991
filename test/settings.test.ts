import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { SettingsSchema } from '../src/config.ts';

const root = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

type Setting = { default?: unknown; description: string };

describe('docs/operator/settings.md', () => {
  test('has every setting with its default and meaning', () => {
    const rows = Object.entries(SettingsSchema.properties as unknown as Record<string, Setting>).map(
      ([name, { default: value, description }]) => {
        const shown = name === 'WORKERS' ? 'cores' : value === undefined ? '' : `\`${value}\``;
        return `| \`${name}\` | ${shown} | ${description} |`;
      },
    );
    const text = read('docs/operator/settings.md');
    expect(rows.filter((row) => !text.includes(row))).toEqual([]);
    expect(text.match(/^\| `[A-Z_]+` \|/gm)?.length).toBe(rows.length);
    const inReadme = read('README.md').match(/^\| `[A-Z_]+` \|.*$/gm)!;
    expect(inReadme.length).toBeGreaterThan(5);
    expect(inReadme.filter((row) => !rows.includes(row))).toEqual([]);
  });
});

describe('every setting', () => {
  test('is used somewhere outside the schema', () => {
    const sources = ['src', 'workers'].flatMap((folder) => sourcesIn(path.join(root, folder)));
    const text = sources
      .filter((file) => !file.endsWith('config.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    // The reader of the environment puts passwords of files into URLs.
    const names = Object.keys(SettingsSchema.properties).filter((name) => !name.endsWith('_PASSWORD_FILE'));
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });
});

function sourcesIn(folder: string): string[] {
  return globSync('**/*.ts', { cwd: folder }).map((file) => path.join(folder, file));
}
