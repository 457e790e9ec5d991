import { createRandom } from '../core/optimize/instances.ts';
import { aheadCases, REPLAY } from './cases/ahead.ts';
import { bodyCases } from './cases/bodies.ts';
import { type Case, type CaseContext, createCall, endOf, SkippedError } from './cases/case.ts';
import { dataCases } from './cases/data.ts';
import { httpCases } from './cases/http.ts';
import { jobCases } from './cases/jobs.ts';
import { valueCases } from './cases/values.ts';
import { createJudge, type Judge } from './judge.ts';
import { type Document, readOperations } from './operations.ts';
import { type Memory, openProbe, type Window } from './probe.ts';
import { type FuzzedRequest, fuzzRequest, type Known, noneKnown } from './requests.ts';
import { openSender, type Sender, type WireAnswer } from './send.ts';

const CASES: readonly Case[] = [
  ...valueCases,
  ...httpCases,
  ...dataCases,
  ...bodyCases,
  ...aheadCases,
  ...jobCases,
];

export type FuzzOptions = {
  baseUrl: string;
  requests: number;
  seed: number;
  /** number of requests in flight at once */
  concurrency: number;
  /** cases that take longer are skipped */
  caseSeconds: number;
  /** runs only cases whose name matches */
  casePattern: RegExp;
  /** processes of the service whose memory is measured: API and workers */
  pids: number[];
  workerCount: number;
  /** seconds to wait at the end before memory is measured again */
  restSeconds: number;
  onPhase(phase: string): void;
};

type OperationTally = { statuses: Map<number, number>; longestMs: number };

export type FuzzReport = {
  operations: Map<string, OperationTally>;
  /** answers that violate the promises, each with its request */
  findings: string[];
  cases: { name: string; outcome: 'holds' | 'fails' | 'skipped'; seen: string }[];
  /** of the fuzzed requests */
  window: Window;
  /** empty if the processes are unknown */
  memory: Memory[];
};

/** Sends every hard case, then random requests made from the service's own document; judges every answer. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { baseUrl, pids, onPhase } = options;
  const probe = await openProbe(baseUrl, pids);
  const sender = openSender(baseUrl);
  try {
    const call = createCall(sender);
    const { body: document } = await call('GET', '/openapi.json');
    const locationIds: number[] = (await call('GET', '/api/v1/data/locations')).body.data.locations.map(
      ({ id }: { id: number }) => id,
    );
    const context: CaseContext = {
      ...{ baseUrl, locationIds, workerCount: options.workerCount, probe, call },
      another: () => openSender(baseUrl, '127.0.0.2'),
    };
    onPhase('cases');
    const cases = await runCases(context, options);
    await probe.look();
    onPhase('requests');
    const replays = await finishedReplays(context);
    const { operations, findings } = await sendRequests(options, sender, document, replays);
    const window = await probe.look();
    onPhase('rest');
    await new Promise((resolve) => setTimeout(resolve, options.restSeconds * 1000));
    return { operations, findings, cases, window, memory: await probe.memory() };
  } finally {
    sender.close();
    await probe.close();
  }
}

async function runCases(
  context: CaseContext,
  { caseSeconds, casePattern }: FuzzOptions,
): Promise<FuzzReport['cases']> {
  const results: FuzzReport['cases'] = [];
  for (const { name, seconds = 0, run } of CASES) {
    if (seconds > caseSeconds || !casePattern.test(name)) continue;
    try {
      results.push({ name, outcome: 'holds', seen: (await run(context)) ?? '' });
    } catch (error) {
      const seen = error instanceof Error ? error.message : String(error);
      results.push({ name, outcome: error instanceof SkippedError ? 'skipped' : 'fails', seen });
    }
  }
  return results;
}

/** Replays that random requests can read and compare: they pose few that are accepted, and none has ended in time. */
async function finishedReplays(context: CaseContext): Promise<string[]> {
  const ids: string[] = [];
  for (const size of [100, 200]) {
    const reply = await context.call('POST', '/api/v1/replays', { body: { ...REPLAY, fleet: { size } } });
    const id = reply.body?.data?.job_id ?? reply.body?.metadata?.job_id;
    // A service without the sample's demand has nothing to replay.
    if (!id || reply.status >= 400) continue;
    const { status } = await endOf(context, id);
    if (status === 'completed') ids.push(id);
  }
  return ids;
}

async function sendRequests(
  options: FuzzOptions,
  sender: Sender,
  document: Document,
  replays: readonly string[],
) {
  const operations = readOperations(document);
  const judge = createJudge(document);
  const random = createRandom(options.seed);
  const known = { ...noneKnown(), replay: [...replays] };
  const tallies = new Map(
    operations.map(({ name }): [string, OperationTally] => [name, { statuses: new Map(), longestMs: 0 }]),
  );
  const findings: string[] = [];
  let left = options.requests;
  const client = async () => {
    while (left-- > 0) {
      const request = fuzzRequest(document, operations, random, known);
      const found = await sendOne(sender, judge, request, tallies.get(request.operation.name)!, known);
      if (found.length > 0) findings.push(describe(request, found));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, client));
  return { operations: tallies, findings };
}

async function sendOne(
  sender: Sender,
  judge: Judge,
  request: FuzzedRequest,
  tally: OperationTally,
  known: Known,
): Promise<string[]> {
  let answer: WireAnswer;
  try {
    answer = await sender.send(request);
  } catch (error) {
    return [`no answer: ${error}`];
  }
  tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
  tally.longestMs = Math.max(tally.longestMs, answer.ms);
  remember(answer.text, known);
  return judge(request, answer);
}

/** Number of identifiers kept of each kind; later ones replace earlier ones. */
const MAX_KNOWN = 50;

/** What an identifier names, by its prefix; all others are jobs. Decisions and replays are named as their jobs are. */
const KINDS: Record<string, keyof Known> = {
  ...{ plan: 'plan', dec: 'decision', rpl: 'replay', sch: 'schedule' },
};

function remember(text: string, known: Known): void {
  for (const [id, prefix] of text.slice(0, 20_000).matchAll(/\b(opt|bt|dec|rpl|sch|plan)_[0-9a-f-]{36}/g)) {
    for (const ids of [
      known[KINDS[prefix] ?? 'job'],
      ...(prefix === 'rpl' || prefix === 'dec' ? [known.job] : []),
    ]) {
      if (!ids.includes(id)) ids.push(id);
      if (ids.length > MAX_KNOWN) ids.shift();
    }
  }
}

function describe({ method, path, headers, body, operation }: FuzzedRequest, faults: string[]): string {
  const shown = body ? ` ${body.subarray(0, 400).toString()}${body.length > 400 ? '…' : ''}` : '';
  return `${operation.name}: ${faults.join('; ')}\n    ${method} ${path} ${JSON.stringify(headers)}${shown}`;
}
