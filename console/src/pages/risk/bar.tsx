import type { VehicleRisk } from '../../api/types.ts';
import { texts } from '../../texts.ts';
import { score } from './score.ts';

const words = texts.risk;

const PARTS = ['age', 'utilization', 'maintenance'] as const;

/** The contributions of age, utilization and maintenance to a score, side by side; the whole width is a score of 1. */
export function Bar({ risk }: { risk: VehicleRisk }) {
  const parts = PARTS.map((name) => ({ name, value: risk.factors[`${name}_contribution`] }));
  const text = parts.map(({ name, value }) => `${words.parts[name]} ${score(value)}`).join(', ');
  return (
    <div class="risk-bar" role="img" aria-label={text} title={text}>
      {parts.map(({ name, value }) => (
        <i key={name} class={name} style={{ width: `${100 * value}%` }} />
      ))}
    </div>
  );
}

export function BarLegend() {
  return (
    <p class="quiet risk-legend">
      {PARTS.map((name) => (
        <span key={name}>
          <i class={name} /> {words.parts[name]}
        </span>
      ))}
    </p>
  );
}
