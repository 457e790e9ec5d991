/**
 * `npm run bench:files -- FILE…`: runs DIMACS minimum-cost flow files (their problem line begins with "p") and
 * OR-Library assignment files through the flow core, and prints optimum, certificate and time of each.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { solveFlow } from '../src/core/optimize/flow/solve-flow.ts';
import { readAssignment } from './assignment.ts';
import { readDimacs, toFlowProblem } from './dimacs.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { repeats: { type: 'string', default: '5' } },
});
if (positionals.length === 0) {
  console.error('usage: npm run bench:files -- [--repeats 5] FILE…');
  process.exitCode = 1;
}

for (const file of positionals) {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
  const { problem, constant } = /^p\s/m.test(text)
    ? toFlowProblem(readDimacs(text))
    : { problem: readAssignment(text), constant: 0 };
  const times: number[] = [];
  let outcome = solveFlow(problem);
  for (let i = 0; i < Number(values.repeats); i++) {
    const startedMs = performance.now();
    outcome = solveFlow(problem);
    times.push(performance.now() - startedMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))].toFixed(2);
  const result =
    outcome.kind === 'solved' ? `optimum ${outcome.cost + constant}, proved on all arcs` : outcome.kind;
  console.log(
    `${basename(file)}: ${result}; median ${at(0.5)} ms (${at(0)} … ${at(1)}), ${problem.n} locations`,
  );
}
