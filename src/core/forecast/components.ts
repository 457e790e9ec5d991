/**
 * The component models, each as "forecast `count` hours of z from this origin", and the short-history ladder.
 *
 * | observed hours | method            | components                        | weights            |
 * | -------------- | ----------------- | --------------------------------- | ------------------ |
 * | below 24       | `mean`            | mean                              | 1                  |
 * | below 168      | `daily_profile`   | daily profile, decay 0.6          | 1                  |
 * | below 672      | `sar_weekly_mean` | SAR, weekly profile, decay 0.7    | equal              |
 * | from 672       | `combination`     | SAR, weekly profile, daily profile | (1 / past error)⁴ |
 *
 * Hours are counted as observed, not as elapsed: a long history that is mostly missing takes a lower rung.
 */
import { profileForecast, seasonalProfile } from './profiles.ts';
import { fitSar, type SarInput } from './sar.ts';
import { type ForecastMethod, HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const WEEKLY_DECAY = 0.7;
const DAILY_DECAY = 0.6;

type ComponentName = 'sar' | 'weekly' | 'daily' | 'mean';

export interface Rung {
  method: ForecastMethod;
  components: readonly ComponentName[];
  /** Component that is right far out, when the newest hours no longer tell anything. */
  farOut: ComponentName;
  /** Hours of history a rolling origin of this rung needs. */
  firstOrigin: number;
}

const LADDER: readonly (Rung & { observedBelow: number })[] = [
  { observedBelow: HOURS_PER_DAY, method: 'mean', components: ['mean'], farOut: 'mean', firstOrigin: 1 },
  {
    observedBelow: HOURS_PER_WEEK,
    method: 'daily_profile',
    components: ['daily'],
    farOut: 'daily',
    firstOrigin: HOURS_PER_DAY,
  },
  {
    observedBelow: 4 * HOURS_PER_WEEK,
    method: 'sar_weekly_mean',
    components: ['sar', 'weekly'],
    farOut: 'weekly',
    firstOrigin: 192,
  },
  {
    observedBelow: Infinity,
    method: 'combination',
    components: ['sar', 'weekly', 'daily'],
    farOut: 'weekly',
    firstOrigin: 360,
  },
];

/** The best rung that `observedHours` of history carry. */
export function chooseRung(observedHours: number): Rung {
  return LADDER.find((rung) => observedHours < rung.observedBelow)!;
}

/** Forecast of hour `lead` (0 is the origin itself) after one origin, in units of z. */
export type ComponentForecast = (lead: number) => number;

/** Forecasts per component and origin: `[component][origin]`. SAR answers leads below `sarHours[origin]`. */
export function fitComponents(
  components: readonly ComponentName[],
  input: SarInput,
  origins: readonly number[],
  sarHours: readonly number[],
): ComponentForecast[][] {
  const fit: Record<ComponentName, () => ComponentForecast[]> = {
    sar: () =>
      fitSar(input, origins).map((run, i) => {
        const forecast = run(sarHours[i]!);
        return (lead) => forecast[lead]!;
      }),
    weekly: () => profileForecasts(input.z, HOURS_PER_WEEK, WEEKLY_DECAY, origins),
    daily: () => profileForecasts(input.z, HOURS_PER_DAY, DAILY_DECAY, origins),
    mean: () => origins.map(() => () => 0),
  };
  return components.map((component) => fit[component]());
}

function profileForecasts(
  z: Float64Array,
  period: number,
  decay: number,
  origins: readonly number[],
): ComponentForecast[] {
  const profile = seasonalProfile(z, period, decay);
  return origins.map((origin) => (lead) => profileForecast(profile, period, origin, lead));
}
