import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { MAX_LOOP_BODY_BYTES, openIntake } from '../../../src/http/bodies/intake.ts';
import { simpleRequest } from '../../helpers/service.ts';

test('large bodies are read by one thread, small ones by none, and the thread ends when it has nothing to do', async () => {
  const exits: Promise<unknown>[] = [];
  const onWorker = (worker: Worker) => exits.push(once(worker, 'exit'));
  process.on('worker', onWorker);
  onTestFinished(() => {
    process.off('worker', onWorker);
  });
  const text = JSON.stringify(simpleRequest(3));
  const large = () => new TextEncoder().encode(text + ' '.repeat(MAX_LOOP_BODY_BYTES));
  const patient = openIntake(loadConfig({}), { idleMs: 2 ** 31 - 1 });
  for (let i = 0; i < 10; i++) {
    const { facts } = await patient.read('optimize', large());
    expect(new TextDecoder().decode(facts.input)).toBe(text);
  }
  await patient.read('optimize', new TextEncoder().encode(text));
  expect(exits).toHaveLength(1);
  await patient.close();
  const intake = openIntake(loadConfig({}), { idleMs: 1 });
  await intake.read('optimize', large());
  await exits[1];
  await intake.close();
});
