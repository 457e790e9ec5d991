/**
 * `npm run bench:files -- [--repeats 5] FILE…`: solves DIMACS minimum-cost flow files (their problem line begins with
 * "p") and OR-Library assignment files, gzipped or not. Prints a table of optimum, proof and time of each. Assignments
 * become requests with `network` costs and go through the entry of the service, including checks and verification.
 * Assignments with more locations than the service accepts go through the flow core. So do DIMACS files, because
 * requests have no transit nodes and capacities.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { solveFlow } from '../src/core/optimize/flow/solve-flow.ts';
import type { FlowProblem } from '../src/core/optimize/flow/types.ts';
import { MAX_MATRIX_LOCATIONS } from '../src/core/optimize/problem/network.ts';
import { checkRequest } from '../src/core/optimize/request/check.ts';
import { optimizeCached as optimize } from '../test/core/optimize/cached.ts';
import { type Assignment, assignmentFlow, readAssignment, toRequest } from './assignment.ts';
import { digits, readArguments, reportTable, spread, whole } from './cli.ts';
import { readDimacs, toFlowProblem } from './dimacs.ts';
import { BENCH_SETTINGS } from './requests.ts';

const { repeats, json, operands } = readArguments({ repeats: 5 }, { takesOperands: true });
if (operands.length === 0 || !(repeats >= 1)) {
  console.error('usage: npm run bench:files -- [--repeats 5] FILE…');
  process.exitCode = 1;
}

/** The task of a file: solved once, reported as the outcome of its row. */
type Task = { locations: number; solve: () => string | Promise<string> };

function readTask(text: string): Task | { infeasible: string } {
  if (!/^p\s/m.test(text)) return assignmentTask(readAssignment(text));
  const transformed = toFlowProblem(readDimacs(text));
  if (transformed.kind === 'infeasible') return { infeasible: transformed.why };
  return flowTask(transformed.problem, transformed.constant);
}

function flowTask(problem: FlowProblem, constant: number): Task {
  const solve = () => {
    const outcome = solveFlow(problem);
    if (outcome.kind !== 'solved') return outcome.kind;
    return `optimum ${outcome.cost + constant}, proved by reduced costs of all moves`;
  };
  return { locations: problem.n, solve };
}

function assignmentTask(assignment: Assignment): Task {
  const locations = 2 * assignment.n;
  if (locations > MAX_MATRIX_LOCATIONS) {
    const { solve } = flowTask(assignmentFlow(assignment), 0);
    return { locations, solve: () => `${solve()} (too many for a network: flow core)` };
  }
  const request = toRequest(assignment);
  const solve = async () => {
    const [fault] = checkRequest(request, new Set(), BENCH_SETTINGS);
    if (fault) throw new Error(`${fault.field} ${fault.message}`);
    const outcome = await optimize({ request, locations: [], settings: BENCH_SETTINGS });
    if (outcome.status === 'error') throw new Error(outcome.message);
    if (outcome.status === 'infeasible') return `infeasible, ${outcome.errors[0].message}`;
    if (outcome.status === 'refused') return `refused, ${outcome.faults[0].message}`;
    if (outcome.status === 'cancelled') return outcome.status;
    const { objective, gap, checks } = outcome.certificate;
    const proved = `gap ${(100 * gap).toFixed(2)} %, proved by ${checks.slice(0, 2).join(', ')}`;
    return gap === 0 ? `optimum ${objective}, ${proved}` : `cost ${objective}, ${proved}`;
  };
  return { locations, solve };
}

/** A row of the table: file, locations, what was found, ms. */
async function rowOf(file: string, task: ReturnType<typeof readTask>): Promise<string[]> {
  if ('infeasible' in task) return [file, '–', `infeasible: ${task.infeasible}`, '–'];
  let told = await task.solve();
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const startedMs = performance.now();
    told = await task.solve();
    times.push(performance.now() - startedMs);
  }
  return [file, whole(task.locations), told, spread(times, digits, [0, 1])];
}

const rows: string[][] = [];
for (const file of repeats >= 1 ? operands : []) {
  try {
    const bytes = readFileSync(file);
    const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
    rows.push(await rowOf(basename(file), readTask(text)));
  } catch (error) {
    console.error(`${basename(file)}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
if (rows.length > 0)
  reportTable({ columns: ['file', 'locations', 'outcome', 'ms, median (least – most)'], rows }, json);
