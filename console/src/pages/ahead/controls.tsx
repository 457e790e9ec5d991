import { useSignal } from '@preact/signals';
import type { DecisionBody, PlannedDemand } from '../../api/decisions.ts';
import { HOUR_MS, timeOf } from '../../city-time.ts';
import { clock } from '../../format.ts';
import { texts } from '../../texts.ts';
import type { Planning } from '../../ui/planning.ts';
import { Running } from '../../ui/running.tsx';

const words = texts.ahead;
const HORIZONS = [3, 6, 12, 24];
const STEPS = [1, 3, 6];
const DEMANDS: PlannedDemand[] = ['mean', 'upper', 'spread'];

/** The first values of the fields. */
export type Wanted = {
  isNow: boolean;
  date: string;
  hour: number;
  horizonHours: number;
  stepHours: number;
  demand: PlannedDemand;
};

type Props = {
  wanted: Wanted;
  zone: string | undefined;
  planning: Planning;
  onPlan: (changed: DecisionBody) => void;
};

/** Asks for another plan that looks ahead: from when, how far, in which steps, for which demand. */
export function Controls({ wanted, zone, planning, onPlan }: Props) {
  const isNow = useSignal(wanted.isNow);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(fields.get(name) ?? '');
    onPlan({
      ...beginOf(isNow.value, text('date'), Number(text('hour')), zone),
      horizon_hours: Number(text('horizon')),
      step_hours: Number(text('step')),
      demand: text('demand') as PlannedDemand,
    });
  };
  const choose = (
    name: string,
    label: string,
    choices: number[],
    chosen: number,
    write: (n: number) => string,
  ) => (
    <label>
      {label}
      <select name={name}>
        {[...new Set([...choices, chosen])]
          .toSorted((a, b) => a - b)
          .map((value) => (
            <option key={value} value={value} selected={value === chosen}>
              {write(value)}
            </option>
          ))}
      </select>
    </label>
  );
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  return (
    <form class="controls" onSubmit={submit}>
      <label>
        {words.from}
        <select onChange={(event) => (isNow.value = event.currentTarget.value === 'now')}>
          <option value="now" selected={wanted.isNow}>
            {words.now}
          </option>
          <option value="day" selected={!wanted.isNow}>
            {words.day}
          </option>
        </select>
      </label>
      {!isNow.value && (
        <>
          <label>
            {words.date}
            <input type="date" name="date" defaultValue={wanted.date} />
          </label>
          {choose('hour', words.hour, hours, wanted.hour, clock)}
        </>
      )}
      {choose('horizon', words.horizon, HORIZONS, wanted.horizonHours, words.hours)}
      {choose('step', words.step, STEPS, wanted.stepHours, words.hours)}
      <label>
        {texts.today.demand}
        <select name="demand">
          {DEMANDS.map((name) => (
            <option key={name} value={name} selected={name === wanted.demand}>
              {words.demands[name]}
            </option>
          ))}
        </select>
      </label>
      <div class="start">
        {planning.isRunning.value ? (
          <Running progress={planning.progress.value} onCancel={planning.cancel} />
        ) : (
          <button type="submit" class="primary">
            {words.plan}
          </button>
        )}
      </div>
    </form>
  );
}

/** Without a date the service takes the day that comes next. */
function beginOf(isNow: boolean, date: string, hour: number, zone: string | undefined): DecisionBody {
  if (isNow) return { start_at: 'now' };
  if (date === '') return {};
  if (hour === 0) return { start_date: date };
  const local = Date.parse(`${date}T00:00:00Z`) / HOUR_MS + hour;
  return { start_at: new Date(timeOf(local, zone)).toISOString() };
}
