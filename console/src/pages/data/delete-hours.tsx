import { useSignal } from '@preact/signals';
import { deleteRow } from '../../api/data.ts';
import type { Place } from '../../api/locations.ts';
import { texts } from '../../texts.ts';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { instantOf } from './local-time.ts';
import { periodOf } from './sets.ts';

const words = texts.data;

/** Takes back the demand of a location from one hour to before another, or to its end. */
export function DeleteHours({ place, onDeleted }: { place: Place; onDeleted: () => void }) {
  const from = useSignal('');
  const to = useSignal('');
  const zone = place.time_zone ?? 'UTC';
  const field = (label: string, value: typeof from) => (
    <label>
      {words.inZone(label, zone)}
      <input
        type="datetime-local"
        step="3600"
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </label>
  );
  const shown = (local: string) => local.replace('T', ' ');
  const title = words.hours(place.name, shown(from.value), shown(to.value));
  const remove = () => {
    const until = to.value === '' ? null : new Date(instantOf(to.value, zone));
    return deleteRow(periodOf(place.id, instantOf(from.value, zone), until));
  };
  return (
    <section aria-labelledby="hours-title">
      <h2 id="hours-title">{words.deleteHours(place.name)}</h2>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        {field(words.fields.from, from)}
        {field(words.untilOrEnd, to)}
        {from.value !== '' && (
          <DeleteButton
            title={title}
            question={words.deleteForecast(title)}
            remove={remove}
            onDeleted={onDeleted}
          />
        )}
      </form>
    </section>
  );
}
