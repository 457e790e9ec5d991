import { useSignal } from '@preact/signals';
import { scoreRisk } from '../../api/data.ts';
import type { RiskVehicle, VehicleRisk } from '../../api/types.ts';
import { count, percent, signed } from '../../format.ts';
import { changeQuery, query } from '../../router.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../ui/load.ts';
import { Failure } from '../../ui/states.tsx';
import { Bar, BarLegend } from './bar.tsx';
import { score } from './score.ts';

const words = texts.risk;

type SliderName = 'age' | 'maintenance' | 'utilization';
const FIELDS = {
  age: 'age_days',
  maintenance: 'days_since_maintenance',
  utilization: 'utilization_rate',
} as const;
const NAMES = Object.keys(FIELDS) as SliderName[];
/** Ends of the sliders in days; a vehicle beyond them has its own. */
const MOST_DAYS = { age: 3650, maintenance: 365 };

/** One vehicle as it is, and scored anew by the service as the sliders, which the address holds, have it. */
export function WhatIf({ vehicle, risk }: { vehicle: RiskVehicle; risk: VehicleRisk }) {
  const search = query.value;
  const values = Object.fromEntries(
    NAMES.map((name) => {
      const set = search.get(name);
      return [FIELDS[name], set === null ? vehicle[FIELDS[name]] : Number(set)];
    }),
  ) as Pick<RiskVehicle, (typeof FIELDS)[SliderName]>;
  const changed = NAMES.some((name) => values[FIELDS[name]] !== vehicle[FIELDS[name]]);
  const shown = useSignal(risk);
  const { error, reload } = useLoad(
    async (signal) => {
      const [next] = changed ? await scoreRisk([{ id: vehicle.id, ...values }], signal) : [risk];
      if (!signal.aborted) shown.value = next;
    },
    [risk, ...NAMES.map((name) => values[FIELDS[name]])],
  );
  const after = shown.value;
  const reset = Object.fromEntries(NAMES.map((name) => [name, undefined]));
  return (
    <section class="detail above" aria-label={words.whatIf(vehicle.id)}>
      <h2>{words.whatIf(vehicle.id)}</h2>
      <p aria-live="polite">
        {words.scored(score(after.risk_score), words.categories[after.risk_category])}
        {changed &&
          ` ${words.instead(score(risk.risk_score), signed(after.risk_score - risk.risk_score, score))}`}
      </p>
      <Bar risk={after} />
      <BarLegend />
      <fieldset class="sliders">
        <legend class="unseen">{words.whatIf(vehicle.id)}</legend>
        {NAMES.map((name) => {
          const value = values[FIELDS[name]];
          const own = vehicle[FIELDS[name]];
          const text = name === 'utilization' ? percent(value) : words.days(count(value));
          return (
            <div key={name}>
              <label for={`risk-${name}`}>{words.sliders[name]}</label>
              <output for={`risk-${name}`}>{text}</output>
              <input
                id={`risk-${name}`}
                type="range"
                min={0}
                max={name === 'utilization' ? 1 : Math.max(MOST_DAYS[name], own)}
                step={name === 'utilization' ? 'any' : 1}
                value={value}
                aria-valuetext={text}
                onInput={(event) => {
                  const set = Number(event.currentTarget.value);
                  changeQuery({ [name]: String(name === 'utilization' ? Math.round(set * 100) / 100 : set) });
                }}
              />
            </div>
          );
        })}
      </fieldset>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      <div class="tools-row">
        <button type="button" disabled={!changed} onClick={() => changeQuery(reset)}>
          {words.reset}
        </button>
        <button type="button" onClick={() => changeQuery({ vehicle: undefined, ...reset })}>
          {words.close}
        </button>
      </div>
    </section>
  );
}
