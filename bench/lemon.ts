/**
 * LEMON's network simplex (C++), compiled on the spot if g++ and the LEMON headers are installed (Debian:
 * liblemon-dev). It is a reference on the same machine in the same run. The service neither ships nor uses it.
 * Reference: Kovács, Minimum-cost flow algorithms: an experimental evaluation (2015); LEMON 1.3, Boost licence.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FlowProblem } from '../src/core/optimize/flow/types.ts';
import type { DenseCosts } from '../src/core/optimize/problem/distances/move-costs.ts';

export type LemonRun = { cost: number; ms: number[] };
export type Lemon = (
  problem: FlowProblem & { cost: DenseCosts },
  repeats: number,
  netted: boolean,
) => LemonRun;

/** @throws Error with the compiler's output if compilation fails */
export function compileLemon(): Lemon {
  const program = join(mkdtempSync(join(tmpdir(), 'lemon-')), 'network-simplex');
  const source = fileURLToPath(new URL('lemon/network-simplex.cpp', import.meta.url));
  const built = spawnSync(
    'g++',
    ['-O3', '-march=native', '-DNDEBUG', '-std=c++17', '-w', '-o', program, source],
    {
      encoding: 'utf8',
    },
  );
  if (built.status !== 0)
    throw new Error(`LEMON cannot be compiled: ${built.error?.message ?? built.stderr}`);
  return ({ n, supply, demand, required, cost }, repeats, netted) => {
    const parts = [
      Int32Array.of(n, repeats, netted ? 1 : 0, required),
      supply,
      demand,
      Float64Array.from(cost.units),
    ];
    const input = Buffer.concat(parts.map((p) => Buffer.from(p.buffer, p.byteOffset, p.byteLength)));
    const ran = spawnSync(program, { input, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`LEMON failed: ${ran.error?.message ?? ran.stderr}`);
    const [found, ...ms] = ran.stdout.trim().split('\n').map(Number);
    return { cost: found, ms };
  };
}
