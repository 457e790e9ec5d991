import type { PlanSummary } from '../../api/types.ts';
import { count, decimal, moment, percent } from '../../format.ts';
import { texts } from '../../texts.ts';

const WIDTH = 480;
const HEIGHT = 320;
const EDGE = { left: 56, right: 28, top: 28, bottom: 40 };
/** Fewer than these, at round values. */
const TICKS = 6;

type Props = { plans: PlanSummary[]; chosen: string[]; onChoose: (id: string) => void };

/** Cost against coverage of all plans that are listed: below and to the right of a plan is a better one. */
export function Scatter({ plans, chosen, onChoose }: Props) {
  const words = texts.plans;
  const x = scaleOf(
    plans.map(({ kpis }) => kpis.demand_coverage),
    EDGE.left,
    WIDTH - EDGE.right,
    0,
    1,
  );
  const y = scaleOf(
    plans.map(({ total_cost }) => total_cost),
    HEIGHT - EDGE.bottom,
    EDGE.top,
    0,
  );
  return (
    <section>
      <h2>{words.scatter}</h2>
      <svg class="scatter" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words.scatter}>
        {y.ticks.map((value) => (
          <g key={value}>
            <line x1={EDGE.left} x2={WIDTH - EDGE.right} y1={y.at(value)} y2={y.at(value)} />
            <text x={EDGE.left - 8} y={y.at(value)} text-anchor="end" dominant-baseline="middle">
              {count(value)}
            </text>
          </g>
        ))}
        {x.ticks.map((value) => (
          <text key={value} x={x.at(value)} y={HEIGHT - EDGE.bottom + 20} text-anchor="middle">
            {percent(value)}
          </text>
        ))}
        <text x={WIDTH - EDGE.right} y={HEIGHT - 4} text-anchor="end">
          {words.coverage}
        </text>
        <text x={4} y={12}>
          {words.cost}
        </text>
        {plans.map((plan) => {
          const { plan_id, kpis, total_cost, created_at } = plan;
          const label = words.point(percent(kpis.demand_coverage), decimal(total_cost), moment(created_at));
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table beside it is the one for keys and readers
            <circle
              key={plan_id}
              class={chosen.includes(plan_id) ? 'chosen' : undefined}
              cx={x.at(kpis.demand_coverage)}
              cy={y.at(total_cost)}
              r={chosen.includes(plan_id) ? 7 : 5}
              onClick={() => onChoose(plan_id)}
            >
              <title>{label}</title>
            </circle>
          );
        })}
      </svg>
    </section>
  );
}

/** A linear scale with some room around the values, within `least` and `most`. */
function scaleOf(values: number[], from: number, to: number, least = -Infinity, most = Infinity) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low) * 0.1 || Math.abs(high) * 0.05 || 0.5;
  const [start, end] = [Math.max(least, low - room), Math.min(most, high + room)];
  const at = (value: number) => from + ((value - start) / (end - start)) * (to - from);
  const step = roundStep((end - start) / TICKS);
  const first = Math.ceil(start / step - 1e-9);
  const ticks = Array.from(
    { length: Math.floor(end / step + 1e-9) - first + 1 },
    (_, i) => (first + i) * step,
  );
  return { at, ticks };
}

/** The next 1, 2 or 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((times) => times * power >= least)!;
}
