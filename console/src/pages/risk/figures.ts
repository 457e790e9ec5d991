import type { VehicleRisk } from '../../api/types.ts';

/** Width of a bar of the distribution. */
export const BIN = 0.05;

/** The number of scores in each bin of 0 … 1; a score of 1 is in the last one. */
export function binsOf(scores: readonly VehicleRisk[]): number[] {
  const bins = Array.from({ length: Math.round(1 / BIN) }, () => 0);
  for (const { risk_score: score } of scores) {
    // Scores have six decimals; a bound belongs to the bin above it.
    bins[Math.min(bins.length - 1, Math.floor(score / BIN + 1e-9))]++;
  }
  return bins;
}
