import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { texts } from '../../console/src/texts.ts';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { processesLeft } from '../helpers/processes.ts';
import { send, startTestService } from '../helpers/service.ts';
import { createTestDatabase } from '../helpers/services.ts';
import { findOwnTest, readBlocks, readSteps } from './blocks.ts';
import { openReader, readDocument } from './reader.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const README = 'README.md';
/** The order in which a reader comes by them: what changes data first. The smoke lane follows the README. */
const FIRST = ['docs/client/data.md', 'docs/planner/decisions.md'];
const DOCUMENTS = [...new Set([...FIRST, ...globSync('docs/{*,*/*}.md', { cwd: ROOT }).toSorted()])];
const isFile = (file: string) => existsSync(path.join(ROOT, file));

describe('the documents, followed from the first command to the last on a fresh sample', () => {
  let reader: Awaited<ReturnType<typeof openReader>>;
  let folder: string;

  beforeAll(async () => {
    folder = await newTemporaryFolder('docs');
    const [port, secondPort] = [await freePort(), await freePort()];
    const [ownDatabase, otherDatabase] = [await createTestDatabase(), await createTestDatabase()];
    // As `npm start` leaves it: the sample, and a first plan.
    const service = await startTestService({ sample: true, overrides: { PORT: port } });
    expect((await send(`${service.url}/api/v1/decisions`, { body: {} })).status).toBe(200);
    // What a reader puts in: addresses of servers of their own.
    reader = await openReader(folder, port, [
      [/127\.0\.0\.1:8001/g, `127.0.0.1:${secondPort}`],
      [/PORT=8001/g, `PORT=${secondPort}`],
      [/postgresql:\/\/…/g, ownDatabase],
      [/postgresql:\/\/user:password@db:5432\/fleet/g, otherDatabase],
      [/redis:\/\/redis:6379/g, inject('redisUrl')],
    ]);
  });
  afterAll(async () => {
    await reader.close();
    const left = await processesLeft(folder);
    await removeFolder(folder);
    expect(left, 'what Ctrl-C leaves behind').toEqual([]);
  });

  test.each(DOCUMENTS)('%s answers what it shows', async (document) => {
    const ownTest = findOwnTest(readDocument(document));
    if (ownTest !== undefined) return expect(readDocument(ownTest)).toContain(document);
    expect(await reader.follow(document)).toEqual([]);
  });
});

test('the page about the console names every page of it, with its key', () => {
  const text = readDocument('docs/planner/console.md');
  const pages = [
    ...readDocument('console/src/router.ts').matchAll(/title: texts\.(\w+)\.title, key: '(\w)'/g),
  ];
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

  test.each(files.filter((file) => ![README, ...DOCUMENTS].includes(file)))(
    '%s has no block that no test runs',
    (file) => {
      const text = readDocument(file);
      const ownTest = findOwnTest(text);
      if (ownTest !== undefined) expect(readDocument(ownTest)).toContain(file);
      else expect(readSteps(text)).toEqual([]);
    },
  );

  test.each(files)('%s is named by the tests that it says run its blocks', (file) => {
    const tests = readBlocks(readDocument(file)).flatMap(({ runBy }) => runBy ?? []);
    expect(tests.filter((name) => !readDocument(name).includes(file))).toEqual([]);
  });

  test.each(files)('%s names npm scripts and files that exist', (file) => {
    // Its own package's, too.
    const packages = ['package.json', path.join(path.dirname(file), 'package.json')];
    const scripts = Object.assign(
      {},
      ...packages.filter(isFile).map((name) => JSON.parse(readDocument(name)).scripts),
    );
    const text = readDocument(file);
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
