/**
 * The component models, each as hours of z forecast from an origin, and the short-history ladder.
 *
 * | observed hours | method            | components                        | weights            |
 * | -------------- | ----------------- | --------------------------------- | ------------------ |
 * | below 24       | `mean`            | mean                              | 1                  |
 * | below 168      | `daily_profile`   | daily profile, decay 0.6          | 1                  |
 * | below 672      | `sar_weekly_mean` | SAR, weekly profile, decay 0.7    | equal (note)       |
 * | from 672       | `combination`     | SAR, weekly profile               | (1 / past error)⁴  |
 *
 * Note: weights are equal up to 3 × the least past error, beyond that (3 / past error)⁴.
 * Hours count as observed, not as elapsed: a long history with many gaps takes a lower rung.
 */
import { profileForecast, seasonalProfile } from './profiles.ts';
import { fitSar, type SarInput } from './sar.ts';
import { type ForecastMethod, HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const WEEKLY_DECAY = 0.7;
const DAILY_DECAY = 0.6;

type ComponentName = 'sar' | 'weekly' | 'daily' | 'mean';

export type Rung = {
  method: ForecastMethod;
  components: readonly ComponentName[];
  /** The component to use far ahead, where the newest hours carry no information. */
  farOut: ComponentName;
  /** Hours of history before the first rolling origin of this rung. */
  firstOrigin: number;
  /**
   * Components whose past error is at most this many times the least get equal weight: few origins cannot rank them.
   */
  slack: number;
};

const LADDER: readonly (Rung & { observedBelow: number })[] = [
  {
    observedBelow: HOURS_PER_DAY,
    method: 'mean',
    components: ['mean'],
    farOut: 'mean',
    firstOrigin: 1,
    slack: 1,
  },
  {
    observedBelow: HOURS_PER_WEEK,
    method: 'daily_profile',
    components: ['daily'],
    farOut: 'daily',
    firstOrigin: HOURS_PER_DAY,
    slack: 1,
  },
  {
    observedBelow: 4 * HOURS_PER_WEEK,
    method: 'sar_weekly_mean',
    components: ['sar', 'weekly'],
    farOut: 'weekly',
    firstOrigin: 192,
    slack: 3,
  },
  {
    observedBelow: Infinity,
    method: 'combination',
    components: ['sar', 'weekly'],
    farOut: 'weekly',
    firstOrigin: 360,
    slack: 1,
  },
];

/** The best rung that `observedHours` of history support. */
export function chooseRung(observedHours: number): Rung {
  return LADDER.find((rung) => observedHours < rung.observedBelow)!;
}

/** SAR forecasts no further ahead than this. Beyond it the far-out component stands alone. */
export const FAR_OUT_HOURS = 4 * HOURS_PER_WEEK;

/**
 * Forecasts of z from every origin: `[component][origin][hours after the origin]`.
 * @param hours wanted per origin; SAR gives at most `FAR_OUT_HOURS` of them
 */
export function fitComponents(
  components: readonly ComponentName[],
  input: SarInput,
  origins: readonly number[],
  hours: readonly number[],
): Float64Array[][] {
  const profile = (period: number, decay: number): Float64Array[] => {
    const profiled = seasonalProfile(input.z, period, decay);
    return origins.map((origin, i) => profileForecast(profiled, period, origin, hours[i]));
  };
  const fit: Record<ComponentName, () => Float64Array[]> = {
    sar: () => fitSar(input, origins).map((run, i) => run(Math.min(hours[i], FAR_OUT_HOURS))),
    weekly: () => profile(HOURS_PER_WEEK, WEEKLY_DECAY),
    daily: () => profile(HOURS_PER_DAY, DAILY_DECAY),
    mean: () => hours.map((count) => new Float64Array(count)),
  };
  return components.map((component) => fit[component]());
}
