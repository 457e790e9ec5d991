/** Median (10th – 90th percentile). */
export function figure(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))].toFixed(1);
  return `${at(0.5)} (${at(0.1)} – ${at(0.9)})`;
}
