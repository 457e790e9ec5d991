import { useSignal } from '@preact/signals';
import { announce } from '../../announce.ts';
import { patchRow, storeRow } from '../../api/data.ts';
import type { Place } from '../../api/locations.ts';
import { texts } from '../../texts.ts';
import { Failure } from '../../ui/states.tsx';
import { Delete } from './delete.tsx';
import { instantOf, localTime } from './local-time.ts';
import { type DataRow, type DataSet, NUMBERS, pathOf, SETS, type SetName, TIMES } from './sets.ts';

const words = texts.data;
const STATUSES = ['operational', 'maintenance', 'downtime'];
/** Set by decisions that are carried out, and by reports of positions. */
const NOT_BY_HAND = ['available_at'];

type Props = {
  name: SetName;
  row: DataRow;
  title: string;
  places: readonly Place[];
  onSaved: () => void;
  onDeleted: () => void;
  onClose: () => void;
};

/** Changes one row: only fields that differ are sent. What the service refuses is said in its words. */
export function Edit({ name, row, title, places, onSaved, onDeleted, onClose }: Props) {
  const set: DataSet = SETS[name];
  const changes = useSignal<DataRow>({});
  const fault = useSignal<unknown>(undefined);
  const isSaving = useSignal(false);
  const said = useSignal('');
  const change = (field: string, value: DataRow[string]) => {
    const { [field]: _before, ...others } = changes.value;
    const isSame = value === (row[field] ?? null) || (field === 'active' && value === (row.active ?? true));
    changes.value = isSame ? others : { ...others, [field]: value };
    said.value = '';
  };
  const save = async (event: Event) => {
    event.preventDefault();
    isSaving.value = true;
    fault.value = undefined;
    try {
      if (set.isPatched) await patchRow(pathOf(set, row), changes.value);
      else await storeRow(set.method, set.path, set.list, whole({ ...row, ...changes.value }));
      changes.value = {};
      said.value = words.saved(title);
      announce(said.value);
      onSaved();
    } catch (error) {
      fault.value = error;
    } finally {
      isSaving.value = false;
    }
  };
  const fields = set.fields.filter((field) => !set.keys.includes(field) && !NOT_BY_HAND.includes(field));
  const isChanged = Object.keys(changes.value).length > 0;
  return (
    <form class="detail above" aria-label={words.edit(title)} onSubmit={save}>
      <h2>{words.edit(title)}</h2>
      <div class="fields">
        {fields.map((field) => (
          <Field
            key={field}
            field={field}
            value={field in changes.value ? changes.value[field] : row[field]}
            places={places}
            zone={zoneOf(row, places)}
            isForAll={name === 'events'}
            onChange={(value) => change(field, value)}
          />
        ))}
      </div>
      {fault.value !== undefined && <Failure error={fault.value} />}
      <p class="quiet">{said.value || (isChanged ? ' ' : words.nothingChanged)}</p>
      <div class="tools-row">
        <button class="primary" type="submit" disabled={!isChanged || isSaving.value}>
          {words.save}
        </button>
        <button type="button" onClick={onClose}>
          {words.close}
        </button>
        {set.isDeletable && <Delete name={name} row={row} title={title} onDeleted={onDeleted} />}
      </div>
    </form>
  );
}

/** A row as it is sent: without what is unknown. An event without a location is one of all locations. */
function whole(row: DataRow): DataRow {
  const known = Object.entries(row).filter(
    ([field, value]) => value !== undefined && (value !== null || field === 'location_id'),
  );
  return Object.fromEntries(known);
}

/** The zone of a row's times. */
function zoneOf({ location_id: id }: DataRow, places: readonly Place[]): string {
  const own = places.find((place) => place.id === id) ?? places.find(({ time_zone }) => time_zone);
  return own?.time_zone ?? 'UTC';
}

type FieldProps = {
  field: string;
  value: DataRow[string];
  places: readonly Place[];
  zone: string;
  /** Whether a row may be one of all locations. */
  isForAll: boolean;
  onChange: (value: DataRow[string]) => void;
};

function Field({ field, value, places, zone, isForAll, onChange }: FieldProps) {
  const label = words.fields[field];
  if (field === 'active')
    return (
      <label class="tick">
        <input
          type="checkbox"
          checked={value !== false}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
    );
  if (field === 'location_id' || field === 'status') {
    const named = places.map(({ id, name }) => [String(id), name]);
    const options =
      field === 'status'
        ? STATUSES.map((status) => [status, status])
        : [...(isForAll ? [['', words.everywhere]] : []), ...named];
    return (
      <label>
        {label}
        <select
          value={String(value ?? '')}
          onChange={({ currentTarget: { value: chosen } }) =>
            onChange(field === 'status' ? chosen : chosen === '' ? null : Number(chosen))
          }
        >
          {options.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
    );
  }
  if (TIMES.has(field)) {
    return (
      <label>
        {words.inZone(label, zone)}
        <input
          type="datetime-local"
          step="3600"
          value={localTime(String(value), zone)}
          onChange={({ currentTarget: { value: typed } }) => typed && onChange(instantOf(typed, zone))}
        />
      </label>
    );
  }
  const isNumber = NUMBERS.has(field);
  const shown = value === null || value === undefined ? '' : String(value);
  const onInput = (event: { currentTarget: HTMLInputElement }) => {
    const typed = event.currentTarget.value;
    onChange(typed === '' ? null : isNumber ? Number(typed) : typed);
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: each branch is its control
    <label>
      {label}
      {isNumber ? (
        <input type="number" step="any" value={shown} onInput={onInput} />
      ) : field.endsWith('_on') ? (
        <input type="date" value={shown} onInput={onInput} />
      ) : (
        <input type="text" value={shown} onInput={onInput} />
      )}
    </label>
  );
}
