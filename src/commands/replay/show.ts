/** A replay as the command shows it: table, picture, figures. */
import { HOUR_MS } from '../../contracts/time.ts';
import type { Replayed, ReplayReport } from '../../core/replay/replay.ts';
import type { ReplayedPast } from '../../core/replay/types.ts';
import { plotServed } from './plot.ts';

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
export const asWhole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** One row per policy. Trips per km are those beyond the first policy in which nobody moves. */
export function tableOf({ policies }: ReplayReport): string {
  const still = policies.find(({ policy }) => policy.mode === 'none')?.expected.figures.served;
  const rows = policies.map(({ policy, expected, drawn }) => {
    const { servedShare, moves, km, minutes, served, utilization } = expected.figures;
    const extra = still === undefined || km === 0 ? '–' : ((served - still) / km).toFixed(2);
    return [
      ...[policy.name, percent(servedShare), asWhole(moves), asWhole(km), asWhole(minutes / 60), extra],
      ...[percent(utilization), asWhole(expected.objective), spreadOf(drawn)],
    ];
  });
  const head = [
    ...['policy', 'served', 'moves', 'km', 'hours of moving', 'extra trips per km', 'utilization'],
    ...['moving and lost trips', 'served, drawn ends'],
  ];
  const lines = [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Mean over the seeds, and the least and the most. */
function spreadOf(drawn: readonly Replayed[]): string {
  if (drawn.length === 0) return '–';
  const shares = drawn.map(({ figures }) => figures.servedShare);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return `${percent(mean)} (${percent(Math.min(...shares))} to ${percent(Math.max(...shares))})`;
}

/** Sums of all locations, hour by hour. */
function byHour(values: Float64Array, hours: number): Float64Array {
  const n = values.length / hours;
  return Float64Array.from({ length: hours }, (_, t) =>
    values.subarray(t * n, (t + 1) * n).reduce((sum, value) => sum + value, 0),
  );
}

export function drawing(title: string, past: ReplayedPast, report: ReplayReport, firstDay: string): string {
  const days = Array.from({ length: past.hours / 24 }, (_, d) =>
    new Date(Date.parse(firstDay) + d * 24 * HOUR_MS).toUTCString().slice(0, 11),
  );
  const shown = ['none', 'nightly', 'horizon'].flatMap((mode) => {
    const one = report.policies.find(({ policy }) => policy.mode === mode && policy.demand === 'mean');
    return one ? [{ name: one.policy.name, served: byHour(one.expected.record.served, past.hours) }] : [];
  });
  return plotServed(title, byHour(past.demand, past.hours), shown, days);
}

/** All figures, and those of every location and hour with expected trip ends. */
export function allFigures(past: ReplayedPast, { policies, bound }: ReplayReport) {
  const n = past.locationIds.length;
  const byLocation = (values: Float64Array) =>
    Array.from(past.locationIds, (id, j) => ({
      location_id: id,
      trips: values.reduce((sum, value, u) => (u % n === j ? sum + value : sum), 0),
    }));
  return {
    bound,
    demand_by_hour: [...byHour(past.demand, past.hours)],
    demand_by_location: byLocation(past.demand),
    policies: policies.map(({ policy, expected, drawn }) => ({
      policy,
      expected: { ...expected.figures, objective: expected.objective },
      served_by_hour: [...byHour(expected.record.served, past.hours)],
      served_by_location: byLocation(expected.record.served),
      drawn: drawn.map(({ ends, figures, objective }) => ({ ends, ...figures, objective })),
    })),
  };
}
