/**
 * Cleaning: outliers capped, missing hours filled.
 *
 * Notation: y[t] hourly demand (NaN missing); s = t mod 168 hour of week, d = t mod 24 hour of day.
 * Outliers (Hampel identifier, Davies & Gather 1993), on x = √y, where low outliers (a blizzard) stand out as well:
 *   centre  m[s] = median of x over the hour of the week; with less than four weeks of history over the hour of the
 *           day; over all hours if that hour of the day was observed less than three times, since the median of
 *           two values does not resist a wrong one
 *   spread  r[d] = 1.4826 · median |x − m| over the hour of the day, never below a quarter of the same over all hours
 *   x[t] ← m ± 5 r if it lies beyond, unless 30 % of the hours around it, at least six, do as well: that is a new
 *   level, whose own outliers lie beyond 5 times the median |x − m| of all such hours.
 * Gaps after an observed hour a, and at the start of the history:
 *   y[t] ← base[t] (1 + δ e^{−(t−a)/24}),   base[t] = mean of y[t − 168] and y[t − 336],
 * where δ ≤ 1 is the relative deviation of the (up to six) observed hours up to a from their own base. The exponential
 * limits the effect of one odd hour on a gap of days. Hours after the gap are not read: past forecasts would otherwise
 * know the hours that they are compared with. Only in the first week base[t] is y[t + 168], or else m[t]²: with four
 * weeks of history all past forecasts start later. Reading missing hours as zero raised the error from 11 to 49 %.
 * Complexity O(n log n). Units: those of y.
 */
import { medianInPlace, quantileSorted } from './numerics.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const CAP_DEVIATIONS = 5;
/** The median absolute deviation of a normal distribution, times this, is its standard deviation. */
const MAD_TO_SD = 1.4826;
/** If this share of the hours of the surrounding week is flagged, the level has changed. */
const LEVEL_SHIFT_SHARE = 0.3;
const LEVEL_SHIFT_HOURS = 6;
/** Largest deviation in multiples of the centre, on roots: up to sixteen times the demand. */
const CONSTANT_REACH = 3;
const WEEKS_FOR_WEEKLY_CENTRE = 4;
/** With this many observations of an hour of the day, the median resists a wrong one. */
const MIN_FOR_MEDIAN = 3;
const GAP_EDGE_HOURS = 6;
/** A few events before a gap may be many times the usual. */
const MAX_EDGE_DEVIATION = 1;

/** A copy of `values` without outliers and gaps: finite, ≥ 0. At least one value is observed. */
export function cleanSeries(values: Float64Array): Float64Array {
  const roots = values.map(Math.sqrt);
  const capped = capOutliers(roots, hourCentres(roots, MIN_FOR_MEDIAN));
  // Squaring a root does not give the number back exactly; only capped hours may change.
  const clean = values.map((value, t) => (capped[t] === roots[t] ? value : capped[t] ** 2));
  if (values.some(Number.isNaN)) {
    // Once outliers are capped, a single observation of an hour of the day is better than the mean of all hours.
    const centre = hourCentres(capped, 1);
    fillGaps(
      clean,
      values,
      centre.map((root) => root * root),
    );
  }
  return clean;
}

/** Median per hour of the week. With fewer than `least` observations: of the hour of the day, or of all hours. */
function hourCentres(values: Float64Array, least: number): Float64Array {
  const scratch = new Float64Array(values.length);
  const medianOf = (from: number, stride: number, least: number): number => {
    let count = 0;
    for (let t = from; t < values.length; t += stride) {
      if (!Number.isNaN(values[t])) scratch[count++] = values[t];
    }
    return count < least ? NaN : medianInPlace(scratch, count);
  };
  const overall = medianOf(0, 1, 1);
  const daily = Float64Array.from({ length: HOURS_PER_DAY }, (_, d) => {
    const median = medianOf(d, HOURS_PER_DAY, least);
    return Number.isNaN(median) ? overall : median;
  });
  const weekly = values.length >= WEEKS_FOR_WEEKLY_CENTRE * HOURS_PER_WEEK;
  return Float64Array.from({ length: HOURS_PER_WEEK }, (_, s) => {
    const median = weekly ? medianOf(s, HOURS_PER_WEEK, least) : NaN;
    return Number.isNaN(median) ? daily[s % HOURS_PER_DAY] : median;
  });
}

/**
 * Largest distance of a root from its centre, per hour of the week. If more than half the hours equal their centre, the
 * spread comes from the hours that differ: those are the rare demand of a quiet location, not outliers. But around a
 * centre above 0 they are more likely errors in a constant series. Then demand may fall to zero or rise to sixteen
 * times the centre, but no further.
 */
function outlierReach(values: Float64Array, centre: Float64Array): Float64Array {
  const scratch = new Float64Array(values.length);
  const deviationsOf = (from: number, stride: number): Float64Array => {
    let count = 0;
    for (let t = from; t < values.length; t += stride) {
      const deviation = Math.abs(values[t] - centre[t % HOURS_PER_WEEK]);
      if (!Number.isNaN(deviation)) scratch[count++] = deviation;
    }
    return scratch.subarray(0, count).sort();
  };
  // The lower median: of two values, one of them a wrong observation, it is the other.
  const ofVarying = (sorted: Float64Array, least: number): number => {
    const zeros = sorted.lastIndexOf(0) + 1;
    const count = sorted.length - zeros;
    return count < least ? NaN : sorted[zeros + Math.floor((count - 1) / 2)];
  };
  const all = deviationsOf(0, 1);
  const middleOfAll = quantileSorted(all, 0.5);
  const overall = middleOfAll || ofVarying(all, 1) || 0;
  const daily = Array.from({ length: HOURS_PER_DAY }, (_, d) => {
    const sorted = deviationsOf(d, HOURS_PER_DAY);
    const median = sorted.length < MIN_FOR_MEDIAN ? middleOfAll : quantileSorted(sorted, 0.5);
    const spread = median || ofVarying(sorted, MIN_FOR_MEDIAN) || overall;
    const reach = CAP_DEVIATIONS * MAD_TO_SD * Math.max(spread, overall / 4);
    return { isMostlyOnCentre: median === 0, reach };
  });
  return centre.map((middle, s) => {
    const { isMostlyOnCentre, reach } = daily[s % HOURS_PER_DAY];
    return isMostlyOnCentre && middle > 0 ? Math.min(reach, CONSTANT_REACH * middle) : reach;
  });
}

function capOutliers(values: Float64Array, centre: Float64Array): Float64Array {
  const reach = outlierReach(values, centre);
  const n = values.length;
  const flagged = new Int32Array(n + 1);
  const observed = new Int32Array(n + 1);
  const beyond: number[] = [];
  for (let t = 0; t < n; t++) {
    const deviation = Math.abs(values[t] - centre[t % HOURS_PER_WEEK]);
    const isBeyond = deviation > reach[t % HOURS_PER_WEEK];
    if (isBeyond) beyond.push(deviation);
    flagged[t + 1] = flagged[t] + (isBeyond ? 1 : 0);
    observed[t + 1] = observed[t] + (Number.isNaN(deviation) ? 0 : 1);
  }
  if (beyond.length === 0) return values;
  // A new level can have outliers, too.
  const ofShift = CAP_DEVIATIONS * quantileSorted(Float64Array.from(beyond).sort(), 0.5);
  const clean = values.slice();
  for (let t = 0; t < n; t++) {
    if (flagged[t + 1] === flagged[t]) continue;
    const from = Math.max(0, Math.min(t - HOURS_PER_WEEK / 2, n - HOURS_PER_WEEK));
    const to = Math.min(n, from + HOURS_PER_WEEK);
    const count = flagged[to] - flagged[from];
    const isShift = count >= LEVEL_SHIFT_HOURS && count > LEVEL_SHIFT_SHARE * (observed[to] - observed[from]);
    const middle = centre[t % HOURS_PER_WEEK];
    const most = isShift ? ofShift : reach[t % HOURS_PER_WEEK];
    clean[t] = Math.max(0, Math.min(Math.max(values[t], middle - most), middle + most));
  }
  return clean;
}

/**
 * Fills the hours missing in `values`, in order, reading what lies before each: observed hours of `clean`, and those
 * filled already.
 */
function fillGaps(clean: Float64Array, values: Float64Array, centre: Float64Array): void {
  const n = values.length;
  const isObserved = (t: number): boolean => t >= 0 && t < n && !Number.isNaN(values[t]);
  const base = (t: number): number => {
    if (t < HOURS_PER_WEEK) return isObserved(t + HOURS_PER_WEEK) ? clean[t + HOURS_PER_WEEK] : centre[t];
    const before = clean[t - HOURS_PER_WEEK];
    return t < 2 * HOURS_PER_WEEK ? before : before / 2 + clean[t - 2 * HOURS_PER_WEEK] / 2;
  };
  for (let t = 0; t < n; t++) {
    if (isObserved(t)) continue;
    const a = t - 1;
    let observed = 0;
    let expected = 0;
    for (let s = a; s > a - GAP_EDGE_HOURS && isObserved(s); s--) {
      observed += clean[s];
      expected += base(s);
    }
    const deviation = expected > 0 ? Math.min(observed / expected - 1, MAX_EDGE_DEVIATION) : 0;
    for (; t < n && !isObserved(t); t++)
      clean[t] = base(t) * (1 + deviation * Math.exp((a - t) / HOURS_PER_DAY));
  }
}
