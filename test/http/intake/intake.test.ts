import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { MAX_LOOP_BODY_BYTES, openIntake } from '../../../src/http/bodies/intake.ts';
import { simpleRequest } from '../../helpers/service.ts';

test('large bodies are read by one thread, which stays when it has nothing to do', async () => {
  let started = 0;
  const count = () => started++;
  process.on('worker', count);
  const intake = openIntake(loadConfig({}), { idleMs: 0 });
  onTestFinished(async () => {
    process.off('worker', count);
    await intake.close();
  });
  const text = JSON.stringify(simpleRequest(3));
  const large = () => new TextEncoder().encode(text + ' '.repeat(MAX_LOOP_BODY_BYTES));
  for (let i = 0; i < 10; i++) {
    const { facts } = await intake.read('optimize', large());
    expect(new TextDecoder().decode(facts.input)).toBe(text);
    for (let turns = 0; turns < 20; turns++) await turn();
  }
  expect(started).toBe(1);
  await intake.read('optimize', new TextEncoder().encode(text));
  expect(started).toBe(1);
});
