/**
 * `npm run bench:silence -- [--only TEXT] [--seconds 20] [--top 5] [--stops 0]`: the longest time between two looks of
 * a solve at its stop flag and clock, and the two places in the code. Measured in CPU time of the solving thread, so
 * the load of the machine does not matter. Waiting for the solver's own thread happens in slices, each with a look.
 *
 * `--stops N`: also measures N cancellations and N expiries of the time limit, half of them right after the looks that
 * precede the longest silences, half at random looks. Reports the longest CPU time from that look to the end of the
 * solve, ms. If the solver's own thread has to be ended, add the wait of 45 ms for it.
 */
import { percentile, readArguments, reportTable, whole } from './cli.ts';
import { createUniform } from './instances.ts';
import { prepare, type Solve, STOP_KINDS } from './stop-kinds.ts';

const { only, seconds, top, stops, json } = readArguments({ only: '', seconds: 20, top: 5, stops: 0 });

/** Shorter silences are not listed. */
const MIN_MS = 3;
/** Later than any limit, ms. */
const LATE_MS = 1e9;
Error.stackTraceLimit = 12;

/** CPU time of this thread, ms. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

type Silence = { ms: number; look: number; from: Error; to: Error };

/** Called at every look at this flag. A look reads the flag, then the clock. */
let watched: { flag: Int32Array; onLook: () => void } | null = null;
/** Added to the clock: later than any limit once the time should be up. */
let aheadMs = 0;
let isLateNext = false;
const load = Atomics.load;
const clock = performance.now.bind(performance);
Atomics.load = ((array: Int32Array, index: number) => {
  const seen = load(array, index);
  if (array === watched?.flag) watched.onLook();
  return seen;
}) as typeof Atomics.load;
performance.now = () => {
  const ms = clock() + aheadMs;
  if (isLateNext) aheadMs = LATE_MS;
  isLateNext = false;
  return ms;
};

/** The silences of one solve, longest first. */
async function listen(
  solve: Solve,
  limitMs: number,
): Promise<{ silences: Silence[]; looks: number; status: string }> {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const silences: Silence[] = [];
  let looks = 0;
  let from = new Error('begin');
  let fromMs = threadMs();
  const onLook = () => {
    const ms = threadMs() - fromMs;
    const to = new Error('look');
    if (ms > MIN_MS) silences.push({ ms, look: looks - 1, from, to });
    looks++;
    from = to;
    // Excludes the time of recording.
    fromMs = threadMs();
  };
  watched = { flag, onLook };
  const status = await solve(flag, limitMs);
  onLook();
  watched = null;
  return { silences: silences.sort((a, b) => b.ms - a.ms), looks, status };
}

/** CPU time from a look to the end of the solve, if the flag is set or the time expires right after that look. */
async function stopAfter(solve: Solve, limitMs: number, look: number, isStop: boolean): Promise<number> {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  let looks = 0;
  let from: number | null = null;
  const onLook = () => {
    if (looks++ !== look) return;
    from = threadMs();
    // This look does not see the change: the flag was read before; the clock is read once more.
    if (isStop) Atomics.store(flag, 0, 1);
    else isLateNext = true;
  };
  watched = { flag, onLook };
  await solve(flag, limitMs);
  const ms = from === null ? 0 : threadMs() - from;
  watched = null;
  aheadMs = 0;
  return ms;
}

function placeOf(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .slice(1)
    .map((line) => /(?:at (?:async )?([^ ]+) \()?(?:file:\/\/)?[^ ]*\/([\w-]+\.ts):(\d+)/.exec(line))
    .filter((match) => match !== null && !['silence.ts', 'solver-model.ts', 'stopping.ts'].includes(match[2]))
    .slice(0, 4)
    .map((match) => `${match![2]}:${match![3]}`)
    .join(' < ');
}

/** The longest silence between each pair of places. */
function tellPlaces(silences: Silence[]): void {
  const places = new Map<string, { ms: number; count: number }>();
  for (const { ms, from, to } of silences) {
    const place = `${placeOf(from)}  →  ${placeOf(to)}`;
    const known = places.get(place) ?? { ms, count: 0 };
    known.count++;
    places.set(place, known);
  }
  for (const [place, { ms, count }] of [...places].slice(0, top)) {
    console.error(`   ${ms.toFixed(0)} ms ${count}×  ${place}`);
  }
}

const limitMs = seconds * 1000;
const rows: string[][] = [];
const random = createUniform(1);
for (const [name, kind] of Object.entries(STOP_KINDS)) {
  if (!name.includes(only) || kind.instead === 'nothing') continue;
  const solve = await prepare(kind);
  // The first solve builds matrices and compiles the code.
  const first = await listen(solve, limitMs);
  const { silences, looks, status } = await listen(solve, limitMs);
  const longest = (of: Silence[]) => (of.length > 0 ? whole(of[0].ms) : `< ${MIN_MS}`);
  console.error(`${name}: ${status}, ${looks} looks`);
  tellPlaces(silences);
  console.error('   at first:');
  tellPlaces(first.silences);
  const ends: string[] = [];
  for (const isStop of [true, false]) {
    const took: number[] = [];
    for (let m = 0; m < stops; m++) {
      const look = m % 2 === 0 ? silences[m / 2]?.look : Math.floor(random() * looks);
      if (look !== undefined) took.push(await stopAfter(solve, limitMs, look, isStop));
    }
    ends.push(took.length > 0 ? whole(percentile(took, 1)) : '–');
  }
  rows.push([name, longest(silences), longest(first.silences), ...ends]);
}
const columns = ['problem', 'longest silence', 'first time', 'after a stop', 'past the limit'];
reportTable({ columns, rows }, json);
