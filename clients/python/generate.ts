import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { readOpenApiDocument } from '../openapi.ts';
import { installPython } from './environment.ts';

const PACKAGE = import.meta.dirname;
const SOURCES = 'src/fleet_decisions';
export const FINGERPRINT = path.join(PACKAGE, 'generated.json');

/** Hashes of the sources and of the generated files. */
export type Fingerprint = { document: string; generator: string; files: Record<string, string> };

/** The generated files' origin and contents as they are now. It needs no Python, and no service. */
export async function readFingerprint(): Promise<Fingerprint> {
  const read = (file: string) => readFileSync(path.join(PACKAGE, file), 'utf8');
  const handwritten = [
    'generate.py',
    'pyproject.toml',
    ...globSync(`${SOURCES}/_async_{client,jobs}.py`, { cwd: PACKAGE }).sort(),
  ];
  const generated = ['models', 'requests', '_async_operations', '_operations', '_client', '_jobs'];
  return {
    document: hash(await documentText()),
    generator: hash(handwritten.map(read).join('\0')),
    files: Object.fromEntries(generated.map((name) => [name, hash(read(`${SOURCES}/${name}.py`))])),
  };
}

/** The document as the generator reads it: without examples and headers of answers, from which nothing is made. */
async function documentText(): Promise<string> {
  const surplus = new Set(['example', 'examples', 'headers']);
  return JSON.stringify(await readOpenApiDocument(), (key, value) => (surplus.has(key) ? undefined : value));
}

function hash(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

if (import.meta.main) {
  const program = await installPython('generate');
  const env = {
    ...process.env,
    PATH: `${path.dirname(program('python'))}${path.delimiter}${process.env.PATH}`,
  };
  const generator = spawn(program('python'), ['generate.py'], {
    cwd: PACKAGE,
    env,
    stdio: ['pipe', 'inherit', 'pipe'],
  });
  generator.stdin.end(await documentText());
  const faults = text(generator.stderr);
  const [code] = await once(generator, 'exit');
  if (code !== 0) throw new Error(await faults);
  await writeFile(FINGERPRINT, `${JSON.stringify(await readFingerprint(), null, 2)}\n`);
}
