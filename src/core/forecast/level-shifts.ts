/**
 * Levels of the days of a history, and the lasting changes of level among them.
 *
 * Days are blocks of 24 h that end with the history, so a change is seven days old after seven days, at any hour.
 *   u[j] = Σ y / Σ p over the observed hours of day j, divided by the usual ratio of its weekday to the week around it
 * with p the mean demand of the hour of day. A day is unknown if less than half of its usual demand was observed.
 * Let A be the 28, 14 or 7 days before a day, and B as many days from it on; neither may cross another change. A change
 * lies between them if it is
 *   seen      |Σ_{a, b} sign(u_b − u_a)| ≥ 2 c √(|A| |B| (|A| + |B| + 1) / 12),   with 7 known days on each side
 *   large     L_B / L_A beyond 4/3 or 3/4,   L mean of the days within 3 robust deviations of their median
 *   unusual   |√L_B − √L_A| ≥ 2.5 w,   w standard deviation of √ of a week less √ of the week before
 * The first is the rank test of Mann and Whitney: a storm of any size is one rank, and neither units nor zeros matter.
 * Seven days that all lie beyond the 28 days before reach c = 4.0; the test requires 3.6. Ranks assume that days are
 * independent; w does not. It is the lower quartile of the changes between weeks over that of a normal deviation, so
 * that shifts do not hide themselves.
 * Smaller changes are left to the model, which follows them.
 * Of all such changes the one with the best fit, √u by a median on either side, is kept. The search repeats between the
 * kept ones until none is left, and each moves by up to a week to where it parts the days best. Finally a change must
 * be large between the whole levels on its sides, and the newest one must last: its last 3 days are nearer to its
 * level than to the one before. Complexity O(days · 28²) at worst, O(days) if the means before and after are alike.
 * Reference: Mann & Whitney 1947.
 */
import { medianInPlace, quantileSorted } from './numerics.ts';
import { HOURS_PER_DAY } from './types.ts';

const DAYS_PER_WEEK = 7;
/** When the ratio of weekdays is estimated, a day counts at most as this many average days of its week. */
const MAX_OF_WEEK = 3;
/**
 * Prior for the ratio of weekdays: this many weeks without a difference between weekdays, added to the observed ones.
 */
const WEEKDAY_PRIOR = 2;

/** The whole days that end with a history. */
export type Days = {
  /** Position of the first hour of the first day. */
  first: number;
  count: number;
};

/** The whole days of a history, given its length in hours. */
export function wholeDays(hours: number): Days {
  const count = Math.floor(hours / HOURS_PER_DAY);
  return { first: hours - count * HOURS_PER_DAY, count };
}

/** u of each day, NaN where unknown. */
function dayLevels(values: Float64Array, days: Days): Float64Array {
  const level = rawLevels(values, days);
  const weekday = weekdayRatios(level);
  return level.map((u, j) => u / weekday[j % DAYS_PER_WEEK]);
}

/** Mean demand per hour of the days; 0 for an hour that is observed on fewer than a quarter of the days. */
function hourMeans(values: Float64Array, { first, count }: Days): Float64Array {
  return Float64Array.from({ length: HOURS_PER_DAY }, (_, h) => {
    let sum = 0;
    let known = 0;
    for (let t = first + h; t < values.length; t += HOURS_PER_DAY) {
      if (Number.isNaN(values[t])) continue;
      sum += values[t];
      known++;
    }
    return known < count / 4 ? 0 : sum / known;
  });
}

/**
 * Demand of each day over that of a usual one, without a distinction of weekdays: Σ y / Σ p over the hours with p > 0;
 * NaN if less than half was observed.
 */
export function rawLevels(values: Float64Array, days: Days): Float64Array {
  const { first, count } = days;
  const usual = hourMeans(values, days);
  const whole = usual.reduce((sum, p) => sum + p, 0);
  return Float64Array.from({ length: count }, (_, j) => {
    let sum = 0;
    let expected = 0;
    for (let h = 0; h < HOURS_PER_DAY; h++) {
      const y = values[first + j * HOURS_PER_DAY + h];
      if (usual[h] === 0 || Number.isNaN(y)) continue;
      sum += y;
      expected += usual[h];
    }
    return expected > 0 && expected >= whole / 2 ? sum / expected : NaN;
  });
}

/** Mean ratio of each day to the seven days around it, by day modulo 7. */
function weekdayRatios(level: Float64Array): Float64Array {
  const ratio = new Float64Array(DAYS_PER_WEEK).fill(WEEKDAY_PRIOR);
  const weeks = new Float64Array(DAYS_PER_WEEK).fill(WEEKDAY_PRIOR);
  for (let j = 3; j + 3 < level.length; j++) {
    let mean = 0;
    for (let k = j - 3; k <= j + 3; k++) mean += level[k] / DAYS_PER_WEEK;
    if (!(mean > 0)) continue;
    ratio[j % DAYS_PER_WEEK] += Math.min(level[j] / mean, MAX_OF_WEEK);
    weeks[j % DAYS_PER_WEEK]++;
  }
  return ratio.map((sum, day) => sum / weeks[day]);
}

/** Most days on one side of a change that are read. */
export const WINDOW_DAYS = 28;
/** Numbers of days before and after a change. Short ones find changes that follow each other closely. */
const WINDOWS = [
  [28, 28],
  [28, 14],
  [28, 7],
  [14, 28],
  [7, 28],
] as const;
const MIN_DAYS = 7;
/** This many days at the end of a history must still be on the new level. */
const LASTING_DAYS = 3;
/** Smallest c and smallest factor of a change. */
const MIN_SCORE = 3.6;
const MIN_FACTOR = 4 / 3;
/** Smallest change, in multiples of the usual change from week to week. */
const WEEKS_APART = 2.5;
/** A quarter of all normal deviations lie within this many standard deviations. */
const QUIET_SHARE = 0.25;
const QUIET_DEVIATIONS = 0.3186;
/** Means must differ by this share of the smallest change before the ranks are computed. */
const GOOD_PART = 0.6;
/** For that first check and for w, a day counts at most as this many median days. */
const MAX_DAY = 10;
/** The median absolute deviation of a normal distribution, times this, is its standard deviation. */
const MAD_TO_SD = 1.4826;
const OUTLYING_DEVIATIONS = 3;

export type LevelChanges = {
  /** First day of each level, without the first level, ascending. */
  starts: number[];
  /** u of each whole day, NaN if unknown. */
  level: Float64Array;
};

/**
 * Finds the changes of level.
 * @param values hourly demand, NaN where missing or not usual (holidays)
 */
export function findLevelChanges(values: Float64Array, days: Days): LevelChanges {
  const level = dayLevels(values, days);
  const found: number[] = [];
  for (;;) {
    const start = bestChange(level, [0, ...found, days.count]);
    if (start === null) break;
    found.push(start);
    found.sort((a, b) => a - b);
    found.forEach((_, i) => {
      found[i] = bestSplit(level, found[i - 1] ?? 0, found[i + 1] ?? days.count, found[i]);
    });
  }
  const starts = found.filter((start, i) => {
    const before = known(level, Math.max(found[i - 1] ?? 0, start - WINDOW_DAYS), start);
    const after = known(level, start, Math.min(found[i + 1] ?? days.count, start + WINDOW_DAYS));
    const isLast = i === found.length - 1;
    return isLarge(levelOf(before), levelOf(after)) && !(isLast && isOver(before, after));
  });
  return { starts, level };
}

function bestChange(u: Float64Array, bounds: readonly number[]): number | null {
  let best: number | null = null;
  let bestGain = 0;
  const days = sumDays(u);
  const restless = WEEKS_APART * usualWeekChange(days);
  for (let s = 0; s + 1 < bounds.length; s++) {
    for (let day = bounds[s] + MIN_DAYS; day <= bounds[s + 1] - MIN_DAYS; day++) {
      for (const [a, b] of WINDOWS) {
        const from = Math.max(bounds[s], day - a);
        const to = Math.min(bounds[s + 1], day + b);
        if (!couldDiffer(days, from, day, to, restless)) continue;
        const before = knownDays(days, from, day);
        const after = knownDays(days, day, to);
        const old = levelOf(before);
        const now = levelOf(after);
        if (!isLarge(old, now) || Math.abs(Math.sqrt(now) - Math.sqrt(old)) < restless) continue;
        if (rankScore(before, after) < MIN_SCORE || daysBeyond(after, old, now) < MIN_DAYS) continue;
        const gain = roughness(knownDays(days, from, to)) - roughness(before) - roughness(after);
        if (gain <= bestGain) continue;
        bestGain = gain;
        best = day;
      }
    }
  }
  return best;
}

/** The day within a week of `start`, between two other changes, that parts the days into the most alike. */
function bestSplit(u: Float64Array, from: number, to: number, start: number): number {
  const roughnessAt = (day: number): number =>
    roughness(known(u, Math.max(from, day - WINDOW_DAYS), day)) +
    roughness(known(u, day, Math.min(to, day + WINDOW_DAYS)));
  let best = start;
  const last = Math.min(to, start + 2 * MIN_DAYS) - MIN_DAYS;
  for (let day = Math.max(from, start - 2 * MIN_DAYS) + MIN_DAYS; day <= last; day++) {
    if (roughnessAt(day) < roughnessAt(best)) best = day;
  }
  return best;
}

const isLarge = (old: number, now: number): boolean => now >= MIN_FACTOR * old || old >= MIN_FACTOR * now;

/** How many days are nearer to the new level than to the old one. */
const daysBeyond = (after: Float64Array, old: number, now: number): number =>
  after.reduce((sum, x) => sum + (isNearer(x, now, old) ? 1 : 0), 0);

const isNearer = (x: number, to: number, than: number): boolean =>
  Math.abs(Math.sqrt(x) - Math.sqrt(to)) < Math.abs(Math.sqrt(x) - Math.sqrt(than));

/** Whether the last days of a level are nearer to the level before it. */
function isOver(before: Float64Array, after: Float64Array): boolean {
  return isNearer(levelOf(after.subarray(-LASTING_DAYS)), levelOf(before), levelOf(after));
}

/** The known days, running sums with each day capped at a number of median days, and running counts. */
type DaySums = {
  known: Float64Array;
  sums: Float64Array;
  counts: Int32Array;
};

function sumDays(u: Float64Array): DaySums {
  const days = known(u, 0, u.length);
  const middle = medianInPlace(days.slice(), days.length);
  const cap = middle > 0 ? MAX_DAY * middle : Infinity;
  const sums = new Float64Array(u.length + 1);
  const counts = new Int32Array(u.length + 1);
  for (let j = 0; j < u.length; j++) {
    const isKnown = !Number.isNaN(u[j]);
    sums[j + 1] = sums[j] + (isKnown ? Math.min(u[j], cap) : 0);
    counts[j + 1] = counts[j] + (isKnown ? 1 : 0);
  }
  return { known: days, sums, counts };
}

const knownDays = (days: DaySums, from: number, to: number): Float64Array =>
  days.known.subarray(days.counts[from], days.counts[to]);

const meanDay = ({ sums, counts }: DaySums, from: number, to: number): number =>
  (sums[to] - sums[from]) / (counts[to] - counts[from]);

/** A quick check of two neighbouring spans: enough known days, and means that differ by a good part of a change. */
function couldDiffer(days: DaySums, from: number, day: number, to: number, restless: number): boolean {
  const { counts } = days;
  if (counts[day] - counts[from] < MIN_DAYS || counts[to] - counts[day] < MIN_DAYS) return false;
  const difference = Math.abs(Math.sqrt(meanDay(days, day, to)) - Math.sqrt(meanDay(days, from, day)));
  const lower = Math.sqrt(Math.min(meanDay(days, day, to), meanDay(days, from, day)));
  return difference >= GOOD_PART * Math.max((Math.sqrt(MIN_FACTOR) - 1) * lower, restless);
}

/** w: standard deviation of √ of a week less √ of the week before, from the quieter weeks. */
function usualWeekChange(days: DaySums): number {
  const changes: number[] = [];
  for (let day = DAYS_PER_WEEK; day + DAYS_PER_WEEK < days.sums.length; day++) {
    const before = meanDay(days, day - DAYS_PER_WEEK, day);
    const after = meanDay(days, day, day + DAYS_PER_WEEK);
    const change = Math.abs(Math.sqrt(after) - Math.sqrt(before));
    if (!Number.isNaN(change)) changes.push(change);
  }
  return quantileSorted(Float64Array.from(changes).sort(), QUIET_SHARE) / QUIET_DEVIATIONS || 0;
}

/** The known days among `from … to − 1`. */
export const known = (u: Float64Array, from: number, to: number): Float64Array =>
  u.subarray(from, to).filter((x) => !Number.isNaN(x));

/** Mann and Whitney's statistic in standard deviations, without sign. */
function rankScore(before: Float64Array, after: Float64Array): number {
  const pairs = before.length * after.length;
  let sign = 0;
  for (const a of before) for (const b of after) sign += b > a ? 1 : b < a ? -1 : 0;
  return Math.abs(sign) / 2 / Math.sqrt((pairs * (before.length + after.length + 1)) / 12);
}

/** Mean of the days within three robust deviations of their median; of all days if more than half are alike. */
export function levelOf(u: Float64Array): number {
  const scratch = u.slice();
  const middle = medianInPlace(scratch, scratch.length);
  for (let i = 0; i < u.length; i++) scratch[i] = Math.abs(u[i] - middle);
  const spread = medianInPlace(scratch, scratch.length);
  const reach = spread > 0 ? OUTLYING_DEVIATIONS * MAD_TO_SD * spread : Infinity;
  let sum = 0;
  let count = 0;
  for (let i = 0; i < u.length; i++) {
    if (Math.abs(u[i] - middle) > reach) continue;
    sum += u[i];
    count++;
  }
  return sum / count;
}

/** Σ |√u − median √u|. */
function roughness(u: Float64Array): number {
  const roots = u.map(Math.sqrt);
  const middle = medianInPlace(roots, roots.length);
  return roots.reduce((sum, root) => sum + Math.abs(root - middle), 0);
}
