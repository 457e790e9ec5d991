/**
 * Cuts for the demand of one location with several capacity classes. In whole numbers of vehicles that arrive, leave
 * and stand idle,
 *
 *   u + Σ_k cap_k (in_k − out_k − idle_k) ≥ D − Σ_k cap_k s_k,   u ≥ 0 unmet demand
 *
 * holds. Mixed-integer rounding of Σ a_i x_i + u ≥ b with a divisor δ:  Σ G(a_i) x_i + u ≥ δ f ⌈b/δ⌉,
 * f = b/δ − ⌊b/δ⌋,  G(a) = δ (f ⌊a/δ⌋ + min(f, a/δ − ⌊a/δ⌋)).
 * Substituting s_k minus the vehicles that stay for those that leave gives another cut. All such choices × divisors
 * are tried, O(2^K · divisors · K) per location, and the most violated cut is taken.
 * These cuts make the bound tight: without them the relaxation serves the last of a demand with fractions of
 * vehicles, and exchanges half a large vehicle for small ones.
 * Reference: Marchand and Wolsey, Aggregation and mixed integer rounding to solve MIPs, Operations Research 49
 * (2001).
 */

/**
 * Σ gains · x + u ≥ least, for the location's in (0 … K−1), out (K … 2K−1) and idle (2K … 3K−1) vehicles.
 */
export type LocationCut = {
  gains: Float64Array;
  least: number;
  violation: number;
};

const NOISE = 1e-9;
/** All substitutions are tried up to this number of classes; with more, only all or none. */
const MAX_CLASSES = 5;

export type LocationValues = {
  demand: number;
  capacities: Float64Array;
  /** K vehicles at the location before the moves. */
  here: Float64Array;
  /** in, out, idle. */
  values: Float64Array;
  unmet: number;
};

/** The most violated cut, or null. */
export function findLocationCut(point: LocationValues, divisors: Float64Array): LocationCut | null {
  const { capacities, here, values, demand } = point;
  const classes = capacities.length;
  let best: LocationCut | null = null;
  const gains = new Float64Array(3 * classes);
  const last = (1 << classes) - 1;
  for (let mask = 0; mask <= last; mask += classes > MAX_CLASSES ? last : 1) {
    let right = demand;
    for (let k = 0; k < classes; k++) if ((mask & (1 << k)) === 0) right -= capacities[k] * here[k];
    for (const divisor of divisors) {
      const ratio = right / divisor;
      const floor = Math.floor(ratio + NOISE);
      const f = ratio - floor;
      if (f < 1e-4) continue;
      const round = (a: number) => {
        const whole = Math.floor(a / divisor + NOISE);
        return divisor * (f * whole + Math.min(f, Math.max(0, a / divisor - whole)));
      };
      let least = divisor * f * (floor + 1);
      let activity = point.unmet;
      for (let k = 0; k < classes; k++) {
        const up = round(capacities[k]);
        const down = round(-capacities[k]);
        gains[k] = up;
        gains[2 * classes + k] = down;
        if (mask & (1 << k)) {
          gains[classes + k] = -up;
          least -= up * here[k];
        } else gains[classes + k] = down;
        activity += gains[k] * values[k] + gains[classes + k] * values[classes + k];
        activity += down * values[2 * classes + k];
      }
      const violation = (least - activity) / capacities[classes - 1];
      if (violation > 1e-4 && (best === null || violation > best.violation)) {
        best = { gains: gains.slice(), least, violation };
      }
    }
  }
  return best;
}
