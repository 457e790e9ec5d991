import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { texts } from '../../console/src/texts.ts';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { processesLeft } from '../helpers/processes.ts';
import { createTestDatabase } from '../helpers/services.ts';
import { compareAnswer, type Ids, useIds } from './answers.ts';
import { type Block, findOwnTest, readSteps, type Step } from './blocks.ts';
import { linkCheckout, openShell } from './shell.ts';

const ROOT = path.join(import.meta.dirname, '../..');
/** The order in which a reader comes by them: the README, then what changes data. */
const FIRST = ['README.md', 'docs/client/data.md', 'docs/planner/decisions.md'];
const DOCUMENTS = [...new Set([...FIRST, ...globSync('docs/{*,*/*}.md', { cwd: ROOT }).toSorted()])];
const isFile = (file: string) => existsSync(path.join(ROOT, file));
const read = (document: string) => readFileSync(path.join(ROOT, document), 'utf8');

describe('the documents, followed from the first command to the last on a fresh sample', () => {
  const ids: Ids = new Map();
  let folder: string;
  let env: Record<string, string>;
  let addresses: [RegExp, string][];
  const shells: ReturnType<typeof openShell>[] = [];

  beforeAll(async () => {
    folder = await newTemporaryFolder('docs');
    await linkCheckout(folder);
    const [port, secondPort] = [await freePort(), await freePort()];
    const [ownDatabase, otherDatabase] = [await createTestDatabase(), await createTestDatabase()];
    env = { PORT: String(port), WORKERS: '1' };
    // What a reader puts in: addresses of servers of their own.
    addresses = [
      [/127\.0\.0\.1:8000/g, `127.0.0.1:${port}`],
      [/127\.0\.0\.1:8001/g, `127.0.0.1:${secondPort}`],
      [/PORT=8001/g, `PORT=${secondPort}`],
      [/postgresql:\/\/…/g, ownDatabase],
      [/postgresql:\/\/user:password@db:5432\/fleet/g, otherDatabase],
      [/redis:\/\/redis:6379/g, inject('redisUrl')],
    ];
  });
  afterAll(async () => {
    for (const shell of shells.toReversed()) await shell.close();
    const left = await processesLeft(folder);
    await removeFolder(folder);
    expect(left, 'what Ctrl-C leaves behind').toEqual([]);
  });

  // A page starts services and waits for real forecasts and solves; the README starts two.
  test.each(DOCUMENTS)('%s answers what it shows', { timeout: 300_000 }, async (document) => {
    const ownTest = findOwnTest(read(document));
    if (ownTest !== undefined) return expect(read(ownTest)).toContain(document);
    const shell = openShell(folder, env);
    shells.push(shell);
    const faults: string[] = [];
    for (const step of readSteps(read(document))) {
      const at = `${document}:${step.command.line}`;
      try {
        const found = await runStep(step, shell);
        faults.push(...found.map((fault) => `${at}: ${fault}`));
      } catch (error) {
        faults.push(`${at}: ${(error as Error).message}`);
      }
    }
    expect(faults).toEqual([]);
  });

  async function runStep({ command, answer }: Step, shell: ReturnType<typeof openShell>): Promise<string[]> {
    const { code, out, err } = await shell.run(prepare(command), answer !== undefined);
    if (code !== 0) return [`ends with ${code}: ${out}${err}`];
    return answer === undefined ? [] : compareAnswer(answer.text, toShownAddresses(out), ids);
  }

  function prepare({ text }: Block): string {
    return addresses.reduce((line, [shown, own]) => line.replace(shown, own), useIds(text, ids));
  }

  function toShownAddresses(out: string): string {
    return out.replaceAll(`127.0.0.1:${env.PORT}`, '127.0.0.1:8000').replaceAll(folder, '…');
  }
});

test('the page about the console names every page of it, with its key', () => {
  const text = read('docs/planner/console.md');
  const pages = [...read('console/src/pages/pages.ts').matchAll(/title: texts\.(\w+)\.title, key: '(\w)'/g)];
  expect(pages.length).toBeGreaterThan(7);
  const rows = pages.map(([, name, key]) => {
    const { title } = texts[name as 'today'];
    return `| [${title}](#${title.toLowerCase()}) | \`g\` \`${key}\` |`;
  });
  expect(rows.filter((row) => !text.includes(row))).toEqual([]);
});

describe('every Markdown file', () => {
  const files = globSync(['*.md', '{docs,bench,src,data,test,clients,console}/**/*.md'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  });

  test.each(files.filter((file) => !DOCUMENTS.includes(file)))(
    '%s has no block that no test runs',
    (file) => {
      const text = read(file);
      const ownTest = findOwnTest(text);
      if (ownTest !== undefined) expect(read(ownTest)).toContain(file);
      else expect(readSteps(text)).toEqual([]);
    },
  );

  test.each(files)('%s names npm scripts and files that exist', (file) => {
    // Its own package's, too.
    const packages = ['package.json', path.join(path.dirname(file), 'package.json')];
    const scripts = Object.assign(
      {},
      ...packages.filter(isFile).map((name) => JSON.parse(read(name)).scripts),
    );
    const text = read(file);
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map((match) => match[1]);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const tested = [...text.matchAll(/\bvitest run ([\w./-]+)/g)].map((match) => match[1]);
    expect(tested.filter((name) => !isFile(name))).toEqual([]);
    const run = [...text.matchAll(/\bnode (?:--\S+ )*((?:bench|src|workers|test)\/[\w./-]+)/g)].map(
      (match) => match[1],
    );
    expect(run.filter((name) => globSync(name, { cwd: ROOT }).length === 0)).toEqual([]);
  });
});
