import { expect, test } from 'vitest';
import { createIncumbent } from '../../../src/core/optimize/incumbent.ts';
import { buildProblem } from '../../../src/core/optimize/problem.ts';
import { cityInstance, SETTINGS } from './instances.ts';

function incumbentOf(stopFlag = new Int32Array(1)) {
  const { request, locations } = cityInstance(1, { locations: 2, perLocation: 1, fractional: false });
  const problem = buildProblem(request, locations, SETTINGS, () => {});
  return createIncumbent(problem, 0, { deadlineMs: 0, stopFlag });
}

test('a plan made when the time is up gets its share of a processor, however long others keep that from it', () => {
  const { isTooLate } = incumbentOf();
  expect(isTooLate()).toBe(false);
  // The thread waits, as it does while others have the processor.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  expect(isTooLate()).toBe(false);
  const { user, system } = process.threadCpuUsage();
  const used = () => {
    const now = process.threadCpuUsage({ user, system });
    return (now.user + now.system) / 1000;
  };
  while (used() < 100);
  expect(isTooLate()).toBe(true);
});

test('a plan made when the time is up is given up when the solve is cancelled', () => {
  const stopFlag = new Int32Array(1);
  const { isTooLate } = incumbentOf(stopFlag);
  expect(isTooLate()).toBe(false);
  stopFlag[0] = 1;
  expect(isTooLate()).toBe(true);
});
