/**
 * The model of one series. Steps: bring to the present level, clean, transform, fit the components, combine, transform
 * back to expected demand.
 *
 * Notation: c components, i rolling origins, h hours after an origin; ẑ_c forecast of component c.
 *   weight  v_c ∝ (1 / MAE_c)⁴, MAE_c of sums over 6 h over all origins
 *           (below 672 h of history weights are equal unless one component errs more than 3 times as much)
 *           for origin i itself: over the others, by the share of their hours that i is not compared with
 *   ẑ(h) = s(h) Σ_c v_c ẑ_c(h) + (1 − s(h)) ẑ_far(h),   s = 1 up to two weeks, falling to 0 at four
 * The power sharpens the choice without relying on one component (Bates & Granger 1969 use 2). Far ahead the newest
 * hours carry no information; the weekly profile alone cannot drift.
 * Complexity: O(n · 15²/2) + 12 origins · (15³/3 + 15 H). Units: hours, demand per hour.
 */
import {
  applyEffects,
  type EffectDeviations,
  lastSundayAhead,
  returnSurprise,
  withoutEffects,
} from './apply-effects.ts';
import { cleanSeries } from './clean.ts';
import { chooseRung, FAR_OUT_HOURS, fitComponents } from './components.ts';
import type { SeriesEffects } from './effects.ts';
import { type LevelShift, toPresentLevel } from './levels.ts';
import type { LocalSeries } from './local-series.ts';
import { planOrigins, sharesElsewhere } from './rolling-origins.ts';
import { withoutStorms } from './storm-days.ts';
import {
  fitTransform,
  meanDemand,
  medianDemand,
  type PastHours,
  standardise,
  type Transform,
} from './transform.ts';
import { type ForecastMethod, HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const WEIGHT_POWER = 4;
/** In single hours of sparse demand, noise hides which component is wrong about the day. In sums it shows. */
const WEIGHT_BLOCK_HOURS = 6;
const FADE_FROM_HOURS = 2 * HOURS_PER_WEEK;

/** What the model would have forecast at an earlier time. */
type PastForecast = {
  /** Position of the origin in the history. */
  origin: number;
  /** Expected demand per hour from the origin on. */
  hourly: Float64Array;
};

export type FittedModel = {
  method: ForecastMethod;
  transform: Transform;
  /** Observed hours that the model was fitted on. */
  observedHours: number;
  /**
   * The history as observed, used for the range of demand. Equal to `values` and `clean` if the level never changed.
   */
  observed: { values: Float64Array; clean: Float64Array };
  /** Newest lasting change of level. */
  levelShift: LevelShift | null;
  /**
   * History on its present level, as compared with the model. Unobserved hours and hours of events and special days are
   * NaN.
   */
  values: Float64Array;
  /** History without gaps and outliers. */
  clean: Float64Array;
  /** Expected demand per hour, starting `leadHours` after the history. */
  hourly: Float64Array;
  /** Uncertainty of the effects on these hours and of a new level; null if there are none. */
  deviations: EffectDeviations | null;
  past: PastForecast[];
  /** Hours between the origin of a past forecast and its first step. */
  pastLeadHours: number;
};

/**
 * @param observations local hours, at least one observed
 * @param leadHours    hours from the end of the history to the start of the forecast, ≥ 0
 * @param horizonHours hours to forecast
 * @param effects      of special days and events
 */
export function fitModel(
  observations: LocalSeries,
  leadHours: number,
  horizonHours: number,
  effects: SeriesEffects,
): FittedModel {
  const usual = withoutEffects(observations, effects);
  const { history, compared, shift } = toPresentLevel(observations, usual);
  const values = withoutEffects(history, effects);
  const n = values.length;
  const rung = chooseRung(history.observedHours);
  const plan = planOrigins(n, rung.firstOrigin, leadHours, horizonHours);
  const { origins } = plan;
  const clean = cleanSeries(values);
  const transform = fitTransform(clean);
  const learned = withoutStorms(values, clean);
  const z = standardise(transform, learned);
  // The past is compared with the observed demand, including storms.
  const happened = learned === clean ? z : standardise(transform, clean);
  const observed = Uint8Array.from(values, (value) => (Number.isNaN(value) ? 0 : 1));
  const { lowestZ, highestZ } = transform;
  returnSurprise(z, values, clean, history, transform, effects);

  const end = history.firstHour + n + leadHours;
  const lastSunday = lastSundayAhead(effects, end, horizonHours);
  const pastHours = origins.map(() => plan.horizonHours);
  const components = fitComponents(
    rung.components,
    { z, observed, lowestZ, highestZ },
    [...origins, n],
    [...pastHours, Math.max(leadHours + horizonHours, leadHours + lastSunday, HOURS_PER_WEEK)],
  );
  const errors = components.map((component) =>
    blockErrors(component, origins, plan.horizonHours, clean, observed, transform),
  );
  const farOut = rung.components.indexOf(rung.farOut);
  const combined = sharesElsewhere(origins, plan.horizonHours).map((share, i) =>
    combine(
      components.map((component) => component[i]),
      errorWeights(errors, share, rung.slack),
      farOut,
    ),
  );
  const pastZ = combined.slice(0, -1);
  const aheadZ = combined.at(-1)!;
  const past = hoursBeside(rung.method, pastZ, origins, happened, clean, observed);
  const week = aheadZ.subarray(0, HOURS_PER_WEEK).filter((_, h) => h % HOURS_PER_DAY < plan.horizonHours);
  const expected = meanDemand(transform, past, week);
  const hourly = aheadZ.slice(leadHours, leadHours + horizonHours).map(expected);
  const deviations = withDeviation(
    applyEffects(hourly, (h) => expected(aheadZ[leadHours + h]), end, effects),
    horizonHours,
    shift?.deviation ?? 0,
  );
  return {
    method: rung.method,
    transform,
    ...(compared === history.values
      ? { values, clean }
      : cleaned(withoutEffects({ ...history, values: compared }, effects))),
    observed: shift === null ? { values, clean } : cleaned(usual),
    observedHours: history.observedHours,
    levelShift: shift,
    hourly,
    deviations,
    past: pastZ.map((hours, i) => ({ origin: origins[i], hourly: hours.map(expected) })),
    pastLeadHours: plan.leadHours,
  };
}

/** The deviations, with the standard deviation of the logarithm of the level added. */
function withDeviation(
  deviations: EffectDeviations | null,
  hours: number,
  deviation: number,
): EffectDeviations | null {
  if (deviation === 0) return deviations;
  const part = deviations?.part ?? new Float64Array(hours);
  const isClosed = deviations?.isClosed ?? new Uint8Array(hours);
  const level = (deviations?.level ?? part).map((one) => Math.hypot(one, deviation));
  return { level, part, isClosed };
}

const cleaned = (values: Float64Array) => ({ values, clean: cleanSeries(values) });

/** ẑ of one origin, for as many hours as the far-out component provides. */
function combine(
  forecasts: readonly Float64Array[],
  weights: readonly number[],
  farOut: number,
): Float64Array {
  const far = forecasts[farOut];
  const near = Math.min(far.length, FAR_OUT_HOURS);
  const hours = far.slice();
  hours.fill(0, 0, near);
  forecasts.forEach((forecast, c) => {
    const weight = weights[c];
    for (let h = 0; h < near; h++) hours[h] += weight * forecast[h];
  });
  for (let h = FADE_FROM_HOURS; h < near; h++) {
    const share = (FAR_OUT_HOURS - h) / (FAR_OUT_HOURS - FADE_FROM_HOURS);
    hours[h] = share * hours[h] + (1 - share) * far[h];
  }
  return hours;
}

/** Σ|error| of a component's sums over 6 h, per origin. */
function blockErrors(
  component: readonly Float64Array[],
  origins: readonly number[],
  horizonHours: number,
  clean: Float64Array,
  observed: Uint8Array,
  transform: Transform,
): number[] {
  const block = Math.min(WEIGHT_BLOCK_HOURS, horizonHours);
  return origins.map((origin, i) => {
    const forecast = component[i];
    let sum = 0;
    for (let from = 0; from + block <= horizonHours; from += block) {
      let error = 0;
      for (let h = from; h < from + block; h++) {
        if (observed[origin + h] === 1) error += medianDemand(transform, forecast[h]) - clean[origin + h];
      }
      sum += Math.abs(error);
    }
    return sum;
  });
}

/**
 * (1 / MAE)⁴ per component, normalised; equal weights if there are no errors.
 * @param share part of each origin that counts
 * @param slack an error up to this many times the least gets the same weight
 */
function errorWeights(blockErrors: readonly number[][], share: Float64Array, slack: number): number[] {
  const errors = blockErrors.map((ofOrigin) => ofOrigin.reduce((sum, error, i) => sum + share[i] * error, 0));
  // Relative to the best: the fourth power of a raw error overflows for huge demand and vanishes for tiny demand.
  const best = Math.min(...errors);
  const raw = errors.map((error) =>
    best === 0 ? Number(error === 0) : Math.min(1, (slack * best) / error) ** WEIGHT_POWER,
  );
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  return raw.map((weight) => weight / total);
}

/**
 * Past forecasts of observed hours, from origins in the newer half of the history. Earlier origins have less history
 * before them and err more than the present forecast. Without any past forecast (histories below two days), the errors
 * are those of the mean, z = 0, if that is the method, and otherwise 0.
 */
function hoursBeside(
  method: ForecastMethod,
  pastZ: readonly Float64Array[],
  origins: readonly number[],
  z: Float64Array,
  clean: Float64Array,
  observed: Uint8Array,
): PastHours {
  const first = Math.min(origins.at(-1) ?? 0, z.length / 2);
  const room = pastZ.reduce((total, hours) => total + hours.length, 0);
  const past = {
    z: new Float64Array(room),
    errors: new Float64Array(room),
    demand: new Float64Array(room),
  };
  let count = 0;
  let distinct = 0;
  let compared = 0;
  pastZ.forEach((hours, i) => {
    if (origins[i] < first) return;
    for (let h = 0; h < hours.length; h++) {
      const t = origins[i] + h;
      if (observed[t] !== 1) continue;
      if (t >= compared) distinct++;
      compared = Math.max(compared, t + 1);
      past.z[count] = hours[h];
      past.errors[count] = z[t] - hours[h];
      past.demand[count++] = clean[t];
    }
  });
  if (count === 0) {
    const same = method === 'mean' ? new Float64Array(z.length) : z;
    return { z: same, errors: z.map((value, t) => value - same[t]), demand: clean, distinct: z.length };
  }
  return {
    z: past.z.subarray(0, count),
    errors: past.errors.subarray(0, count),
    demand: past.demand.subarray(0, count),
    distinct,
  };
}
