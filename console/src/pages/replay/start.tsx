import { useSignal } from '@preact/signals';
import { startReplay } from '../../api/replays.ts';
import { changeQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Failure } from '../../ui/states.tsx';
import { addDays } from './period.ts';
import { CHOICES, titleOf } from './policies.ts';

const words = texts.replay;
const WEEK = 7;
const SEEDS = [0, 3, 10];
const DEFAULT_SEEDS = 3;

/** Starts a replay; by default of the last week that was observed. @param dayAfter the first day without demand */
export function Start({ dayAfter }: { dayAfter: string }) {
  const isSending = useSignal(false);
  const fault = useSignal<unknown>(undefined);
  const isStored = useSignal(true);
  const chosen = useSignal(Object.keys(CHOICES));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(fields.get(name) ?? '');
    isSending.value = true;
    fault.value = undefined;
    try {
      const replay = await startReplay({
        from: text('from'),
        to: addDays(text('last'), 1),
        fleet: isStored.value ? 'stored' : { size: Number(text('size')) },
        trips_per_vehicle_hour: Number(text('trips')),
        unmet_demand_cost: Number(text('price')),
        policies: chosen.value.map((name) => CHOICES[name]),
        seeds: Array.from({ length: Number(text('seeds')) }, (_, i) => i + 1),
      });
      changeQuery({ replay, policy: undefined }, 'push');
      window.scrollTo(0, 0);
    } catch (error) {
      fault.value = error;
    } finally {
      isSending.value = false;
    }
  };
  const toggle = (name: string) => {
    // In the order of the choices, whichever was ticked first.
    chosen.value = Object.keys(CHOICES).filter((one) => chosen.value.includes(one) !== (one === name));
  };
  const number = (name: string, label: string, value: number, least: number, step: string) => (
    <label>
      {label}
      <input type="number" name={name} min={least} step={step} defaultValue={String(value)} required />
    </label>
  );
  return (
    <section>
      <h2>{words.start}</h2>
      <form class="replay-form" onSubmit={submit}>
        <div class="controls">
          <label>
            {words.from}
            <input type="date" name="from" defaultValue={addDays(dayAfter, -WEEK)} required />
          </label>
          <label>
            {words.last}
            <input type="date" name="last" defaultValue={addDays(dayAfter, -1)} required />
          </label>
          <label>
            {words.fleet}
            <select onChange={(event) => (isStored.value = event.currentTarget.value === 'stored')}>
              <option value="stored">{words.storedFleet}</option>
              <option value="size">{words.otherFleet}</option>
            </select>
          </label>
          {!isStored.value && number('size', words.vehicles, 1000, 1, '1')}
          {number('trips', words.trips, 2, 0.01, 'any')}
          {number('price', words.price, 6, 0, 'any')}
          <label>
            {words.seeds}
            <select name="seeds">
              {SEEDS.map((seeds) => (
                <option key={seeds} value={seeds} selected={seeds === DEFAULT_SEEDS}>
                  {words.seedChoice(seeds)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <fieldset class="choices">
          <legend>{words.policy}</legend>
          {Object.keys(CHOICES).map((name) => (
            <label key={name}>
              <input type="checkbox" checked={chosen.value.includes(name)} onChange={() => toggle(name)} />
              {titleOf(name)}
            </label>
          ))}
        </fieldset>
        <button type="submit" class="primary" disabled={isSending.value || chosen.value.length === 0}>
          {words.begin}
        </button>
      </form>
      {fault.value !== undefined && <Failure error={fault.value} />}
    </section>
  );
}
