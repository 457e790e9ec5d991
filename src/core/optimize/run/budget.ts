/**
 * How long each part of an optimization may take. A caller's time limit ends all of it; within that limit, these two
 * tables give each part's time and the reason for it. Shares of parts that end in time by themselves are few and round:
 * no everyday call shows a difference between finer ones. No other file holds a share of the time or a number of
 * milliseconds.
 */
import { nowMs } from './clock.ts';
import type { Stopping } from './stopping.ts';

type Table = Record<string, readonly [value: number, why: string]>;

/** Share of the time left when the part begins. */
const SHARES = {
  glance: [0.1, 'what must be named even in little time'],
  question: [0.3, 'one question of several, or a first plan that guides the rest; usually ends sooner'],
  half: [0.5, 'the easier half first: often the answer, and the rest is for what it leaves open'],
  most: [0.8, 'the harder part; what follows is usually easy'],
} as const satisfies Table;

/** Milliseconds. */
const TIMES = {
  explanation: [4_000, 'one class, not requested: the answer has no plan, and a reader waits for it'],
  explanationSeveralClasses: [10_000, 'the same with several classes, whose questions are harder'],
  insights: [10_000, 'one class: the plan is complete, and a reader waits for its insights'],
  insightsSeveralClasses: [20_000, 'several classes: changed problems are harder'],
  brief: [1_000, 'what nobody has asked for: the plan is complete'],
  changedProblem: [50, 'at least: a shorter solve finds nothing'],
  answerPerVehicle: [1e-3, 'building and checking the answer'],
  answerPerLocation: [5e-3, 'a first tree, building and checking the answer'],
  latePlan: [75, 'CPU time past the deadline for reading a request, and for a first plan: it takes 10 to 70'],
  lateMoves: [100, 'past the deadline: the cheapest moves for the steps found'],
  solverThreadEnd: [40, 'for a solver to stop when asked; then its thread is ended'],
  solverThreadPoll: [5, 'between two looks at a solver in a thread of its own'],
  progress: [100, 'between two reports of a stage, or from within the solver'],
  flowProgressHalf: [200, 'progress of the network simplex: the unfinished share halves in this time'],
} as const satisfies Table;

/** @returns a share of the time that is left, 0 … 1 */
export function shareOf(part: keyof typeof SHARES): number {
  return SHARES[part][0];
}

/** @returns milliseconds */
export function msOf(part: keyof typeof TIMES): number {
  return TIMES[part][0];
}

/** The time of one part of the work. */
export function timeFor(part: keyof typeof SHARES, control: Stopping): Stopping {
  return fractionOf(control, shareOf(part));
}

/** The time of the next of `parts` pieces of work that share the remaining time equally. */
export function evenPartOf(control: Stopping, parts: number): Stopping {
  return fractionOf(control, 1 / parts);
}

function fractionOf({ deadlineMs, stopFlag, onLook }: Stopping, fraction: number): Stopping {
  const now = nowMs();
  return { stopFlag, onLook, deadlineMs: now + fraction * Math.max(0, deadlineMs - now) };
}

/** Time for an explanation that the request did not ask for, in ms. */
export function explanationMs(classes: number): number {
  return msOf(classes > 1 ? 'explanationSeveralClasses' : 'explanation');
}

/** Time for insights, in ms. @param leftMs until the deadline */
export function insightsMs(classes: number, leftMs: number): number {
  const usual = msOf(classes > 1 ? 'insightsSeveralClasses' : 'insights');
  return Math.min(usual, shareOf('half') * Math.max(0, leftMs));
}

/**
 * How long before the time limit the solve ends, in ms: time for a first tree, and for building and checking the
 * answer.
 */
export function answerMs(vehicles: number, locations: number, limitMs: number): number {
  const needed = msOf('answerPerVehicle') * vehicles + msOf('answerPerLocation') * locations;
  return Math.min(needed, shareOf('half') * limitMs);
}
