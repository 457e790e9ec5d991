import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../src/commands/start/build-console.ts';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { compareAnswer } from '../docs/answers.ts';
import { readBlocks } from '../docs/blocks.ts';
import { openReader, readDocument } from '../docs/reader.ts';
import { connectBrowser, hasBrowser, openPage } from '../helpers/console.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { processesLeft } from '../helpers/processes.ts';

const CLIENT = 'clients/typescript/README.md';
const run = promisify(execFile);

describe('npm start on an empty folder', () => {
  let folder: string;
  let reader: Awaited<ReturnType<typeof openReader>>;
  let url: string;

  beforeAll(async () => {
    folder = await newTemporaryFolder('smoke');
    const [port, secondPort] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    await buildConsole();
    reader = await openReader(folder, port, [
      [/127\.0\.0\.1:8001/g, `127.0.0.1:${secondPort}`],
      [/PORT=8001/g, `PORT=${secondPort}`],
    ]);
  });
  afterAll(async () => {
    await reader.close();
    await removeFolder(folder);
  });

  test('prints a first plan, and the commands of the README answer what it shows', async () => {
    expect(await reader.follow('README.md')).toEqual([]);
  });

  test.skipIf(!hasBrowser)(
    'shows every page of its console, and plans there, without a complaint',
    async () => {
      const { page, close } = await openPage(await connectBrowser(), url, '');
      const heading = page.getByRole('heading', { level: 1 });
      await heading.filter({ hasText: /372 vehicles move, 218 km/ }).waitFor();
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      // Behind each title stand its keys.
      const pages = (await links.allTextContents()).map((text) => text.replace(/ g \w$/, ''));
      expect(pages.length).toBeGreaterThan(7);
      for (const i of pages.keys().toArray().toReversed()) {
        await links.nth(i).click();
        await expect.poll(() => page.title()).toMatch(new RegExp(`^${pages[i]} ·`));
        await heading.waitFor();
      }
      await page.getByRole('button', { name: 'Plan again' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: 'New plan: 95.0% served, 372 vehicles move' })
        .waitFor();
      await close();
    },
  );

  test(`answers the examples of ${CLIENT} as that shows`, async () => {
    const blocks = readBlocks(readDocument(CLIENT));
    const examples = blocks.filter(({ language }) => language === 'ts');
    const answers = blocks.filter(({ language }) => language === 'text');
    expect(examples).toHaveLength(answers.length);
    const faults: string[] = [];
    for (const [i, { text, line }] of examples.entries()) {
      const program = path.join(folder, `example-${i}.ts`);
      await writeFile(program, text.replaceAll('http://127.0.0.1:8000', url));
      const { stdout } = await run(process.execPath, [program], { cwd: folder });
      faults.push(
        ...compareAnswer(answers[i].text, stdout, new Map()).map((fault) => `line ${line}: ${fault}`),
      );
    }
    expect(faults).toEqual([]);
  });

  test('leaves no process behind after Ctrl-C', async () => {
    await reader.close();
    expect(await processesLeft(folder)).toEqual([]);
  });
});
