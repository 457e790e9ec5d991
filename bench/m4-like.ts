/** Artificial series with the lengths and patterns of the hourly M4 series, for users without the files. */
import { createUniform } from './instances.ts';
import type { M4Series } from './m4-files.ts';

const HOURS_PER_DAY = 24;
const HOURS_PER_WEEK = 168;
const HORIZON = 48;

/**
 * log y = daily wave (three harmonics) + weekend + AR(1) + shock per day + drifting level, some with rare spikes, most
 * rounded to whole numbers; 700 or 960 hours of history, 48 to forecast.
 */
export function m4LikeSeries(count: number, seed: number): M4Series[] {
  const random = createUniform(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: count }, (_, i) => {
    const hours = random() < 0.4 ? 700 : 960;
    const level = 10 ** (1 + 3 * random());
    const persistence = 0.5 + 0.47 * random();
    const noise = 0.02 + 0.13 * random() ** 2;
    const waves = [0.1 + 0.6 * random(), 0.3 * random(), 0.15 * random()];
    const phases = waves.map(() => 2 * Math.PI * random());
    const weekend = Math.log(0.6 + 0.4 * random());
    const dayShock = random() < 0.5 ? 0 : 0.08 * random();
    const drift = 0.3 * noise * Math.sqrt(0.003 * random());
    const spikeShare = random() < 0.2 ? 0.003 : 0;
    const isWhole = random() < 0.6;
    let ar = 0;
    let day = 0;
    let trend = 0;
    const values = Float64Array.from({ length: hours + HORIZON }, (_, t) => {
      if (t % HOURS_PER_DAY === 0) day = dayShock * normal();
      ar = persistence * ar + Math.sqrt(1 - persistence ** 2) * noise * normal();
      trend += drift * normal();
      let shape = t % HOURS_PER_WEEK >= 5 * HOURS_PER_DAY ? weekend : 0;
      waves.forEach((size, k) => {
        shape += size * Math.sin((2 * Math.PI * (k + 1) * t) / HOURS_PER_DAY + phases[k]);
      });
      const spike = random() < spikeShare ? 1 + 2 * random() : 1;
      const value = level * spike * Math.exp(shape + ar + day + trend);
      return isWhole ? Math.max(1, Math.round(value)) : value;
    });
    return {
      id: `S${i + 1}`,
      period: HOURS_PER_DAY,
      history: values.slice(0, hours),
      actual: values.slice(hours),
    };
  });
}
