/**
 * Whether a quantity stays as it is while a service runs: the slope of its block means over time. Samples that follow
 * each other are alike (garbage piles up, then is collected; a queue that is long stays long for a while), so that an
 * error from the samples themselves would be far too small. Block means are less alike, and what likeness is left
 * between neighbours widens the error.
 */

export type Trend = {
  /** mean of the blocks */
  level: number;
  /** per unit of time, with its standard error */
  slope: number;
  error: number;
};

/** What a trend says, by the criterion below. */
type Verdict = 'flat' | 'rises' | 'falls' | 'open';

/** A slope within so many standard errors is none. Of 20 blocks, chance exceeds them in some 1 % of the cases. */
const ERRORS = 3;
/** So many standard errors must be less than this share of the level: a run that could not see more says nothing. */
const SEEN_SHARE = 0.1;

/**
 * Flat: the slope is within three standard errors of 0, and these are at most a tenth of the level, so that a change of
 * a tenth per unit of time would have been seen. Open: they are more.
 */
export function judge({ level, slope, error }: Trend): Verdict {
  if (Math.abs(slope) > ERRORS * error) return slope > 0 ? 'rises' : 'falls';
  return ERRORS * error <= SEEN_SHARE * Math.abs(level) ? 'flat' : 'open';
}

/** Least squares over the means of blocks that follow each other, all as long. */
export function trendOf(blocks: readonly (readonly [time: number, mean: number])[]): Trend {
  const n = blocks.length;
  const mean = (at: 0 | 1) => blocks.reduce((sum, block) => sum + block[at], 0) / n;
  const [time, level] = [mean(0), mean(1)];
  const squares = blocks.reduce((sum, [t]) => sum + (t - time) ** 2, 0);
  const slope = blocks.reduce((sum, [t, value]) => sum + (t - time) * (value - level), 0) / squares;
  const rests = blocks.map(([t, value]) => value - level - slope * (t - time));
  const rest = rests.reduce((sum, r) => sum + r * r, 0);
  if (rest === 0) return { level, slope, error: 0 };
  // Of residuals of a line, which are less alike than what they are the rest of: by about 4/n for neighbours.
  const likeness = rests.reduce((sum, r, i) => sum + (i > 0 ? r * rests[i - 1] : 0), 0) / rest + 4 / n;
  const rho = Math.min(0.9, Math.max(0, likeness));
  const error = Math.sqrt((((1 + rho) / (1 - rho)) * rest) / (n - 2) / squares);
  return { level, slope, error };
}
