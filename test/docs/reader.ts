import { readFileSync } from 'node:fs';
import path from 'node:path';
import { compareAnswer, type Ids, useIds } from './answers.ts';
import { readSteps, type Step } from './blocks.ts';
import { linkCheckout, openShell } from './shell.ts';

const ROOT = path.join(import.meta.dirname, '../..');

export const readDocument = (document: string): string => readFileSync(path.join(ROOT, document), 'utf8');

/**
 * Someone who follows documents in a checkout without data, command by command, and compares the answers. What the
 * commands start runs until the end.
 * @param folder an empty folder
 * @param port of the service that the documents have at port 8000
 * @param addresses what is put into the commands: the reader's own servers
 */
export async function openReader(folder: string, port: number, addresses: [RegExp, string][] = []) {
  await linkCheckout(folder);
  const ids: Ids = new Map();
  const shells: ReturnType<typeof openShell>[] = [];
  const own: [RegExp, string][] = [[/127\.0\.0\.1:8000/g, `127.0.0.1:${port}`], ...addresses];
  const prepare = (text: string) =>
    own.reduce((line, [shown, other]) => line.replace(shown, other), useIds(text, ids));
  const toShown = (out: string) =>
    out.replaceAll(`127.0.0.1:${port}`, '127.0.0.1:8000').replaceAll(folder, '…');

  async function runStep({ command, answer }: Step, shell: ReturnType<typeof openShell>): Promise<string[]> {
    const { code, out, err } = await shell.run(prepare(command.text), answer !== undefined);
    if (code !== 0) return [`ends with ${code}: ${out}${err}`];
    return answer === undefined ? [] : compareAnswer(answer.text, toShown(out), ids);
  }

  return {
    /** @returns what a document says and the service does not answer */
    async follow(document: string): Promise<string[]> {
      const shell = openShell(folder, { PORT: String(port), WORKERS: '1' });
      shells.push(shell);
      const faults: string[] = [];
      for (const step of readSteps(readDocument(document))) {
        const at = `${document}:${step.command.line}`;
        const found = await runStep(step, shell).catch(({ message }: Error) => [message]);
        faults.push(...found.map((fault) => `${at}: ${fault}`));
      }
      return faults;
    },
    /** Presses Ctrl-C in every terminal, the latest first, and waits until what ran there has ended. */
    async close(): Promise<void> {
      for (const shell of shells.splice(0).toReversed()) await shell.close();
    },
  };
}
