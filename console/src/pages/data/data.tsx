import { useMemo } from 'preact/hooks';
import { readFirstRows } from '../../api/data.ts';
import { loadLocations, locations, type Place, reloadLocations } from '../../api/locations.ts';
import { count } from '../../format.ts';
import { changeQuery, query } from '../../router.ts';
import { SERVICE } from '../../service.ts';
import { texts } from '../../texts.ts';
import { useEscape } from '../../ui/escape.ts';
import { Find, wantedText } from '../../ui/find.tsx';
import { useLoad } from '../../ui/load.ts';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { DeleteHours } from './delete-hours.tsx';
import { Drop } from './drop.tsx';
import { Edit } from './edit.tsx';
import { useFurther } from './further.ts';
import { sentenceOf } from './sentence.ts';
import { type DataRow, type DataSet, keyOf, NUMBERS, SETS, type SetName, TIMES } from './sets.ts';
import { writerOf } from './write.ts';

const words = texts.data;
const NAMES = Object.keys(SETS) as SetName[];
/** Rows that a table can have without delay; what is beyond them is found by its words. */
const MOST_SHOWN = 2000;

/** The stored data, and how to change it. */
export default function Data() {
  const places = useLoad(() => loadLocations(), []);
  if (places.error !== undefined) return <Failure error={places.error} onRetry={places.reload} />;
  if (!places.data) return <Loading />;
  const asked = query.value.get('set') as SetName;
  const name = NAMES.includes(asked) ? asked : 'locations';
  return <Stored key={name} name={name} />;
}

/** One kind of data. */
function Stored({ name }: { name: SetName }) {
  const set: DataSet = SETS[name];
  const search = query.value;
  const place = set.locationFilter
    ? (locations.value.find(({ id }) => String(id) === search.get('location')) ?? locations.value[0])
    : undefined;
  const { data, error, isLoading, reload } = useLoad(
    async (signal) => {
      if (set.locationFilter && !place) return { place, path: set.path, rows: [], next: undefined };
      const path = set.locationFilter ? `${set.path}?${set.locationFilter}=${place!.id}` : set.path;
      const { rows, next } = await readFirstRows<DataRow>(path, set.list, signal);
      return { place, path, rows: name === 'demand' ? rows.toReversed() : rows, next };
    },
    [place?.id],
  );
  const onChanged = () => {
    reload();
    // Names and zones may have changed; if they cannot be read now, the next page reads them.
    if (name === 'locations') reloadLocations().catch(() => undefined);
  };
  const rows = data?.rows ?? [];
  const isCut = data?.next !== undefined;
  const asked = search.get('location');
  return (
    <div class="page" aria-busy={isLoading}>
      <h1>{data && rows.length > 0 && !isCut ? sentenceOf(name, rows, data.place) : words.title}</h1>
      <Controls name={name} place={place} />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {place && asked !== null && asked !== String(place.id) && (
        <p>{texts.unknownPlace(asked, place.name)}</p>
      )}
      {isCut && <p>{words.cut(count(rows.length))}</p>}
      {!data && error === undefined && <Loading />}
      {data && rows.length === 0 && (
        <Empty title={words.empty[name]} advice={words.advice} command={commandOf(set, name)} />
      )}
      {data && rows.length > 0 && <Rows name={name} {...data} onChanged={onChanged} />}
      {name === 'demand' && data?.place && rows.length > 0 && (
        <DeleteHours key={data.place.id} place={data.place} onDeleted={onChanged} />
      )}
      {/* It waits for what stands above it, so that it does not move. */}
      <div hidden={!data && error === undefined}>
        <Drop name={name} onStored={onChanged} />
      </div>
    </div>
  );
}

function commandOf({ method, path }: DataSet, name: SetName): string {
  const type = "-H 'content-type: text/csv'";
  return `curl ${SERVICE}${path} -X ${method} ${type} --data-binary @${name}.csv`;
}

function Controls({ name, place }: { name: SetName; place: Place | undefined }) {
  const sorted = locations.value.toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <label>
        {words.set}
        <select
          value={name}
          onChange={(event) =>
            changeQuery({ set: event.currentTarget.value, find: undefined, row: undefined }, 'push')
          }
        >
          {NAMES.map((one) => (
            <option key={one} value={one}>
              {words.sets[one]}
            </option>
          ))}
        </select>
      </label>
      {place && (
        <label>
          {words.location}
          <select
            value={String(place.id)}
            onChange={(event) => changeQuery({ location: event.currentTarget.value })}
          >
            {sorted.map(({ id, name: its }) => (
              <option key={id} value={String(id)}>
                {its}
              </option>
            ))}
          </select>
        </label>
      )}
      <Find label={words.find} />
    </form>
  );
}

type RowsProps = {
  name: SetName;
  path: string;
  rows: DataRow[];
  next: string | undefined;
  place: Place | undefined;
  onChanged: () => void;
};

function Rows({ name, path, rows, next, place, onChanged }: RowsProps) {
  const set: DataSet = SETS[name];
  const search = query.value;
  const wanted = wantedText();
  const { write } = useMemo(() => writerOf(locations.value), [locations.value]);
  const fits = (row: DataRow) =>
    set.fields.some((field) => write(row, field, place).toLowerCase().includes(wanted));
  const first = useMemo(() => (wanted ? rows.filter(fits) : rows), [rows, wanted, write]);
  const selected = search.get('row') ?? undefined;
  const known = rows.find((row) => keyOf(set, row) === selected);
  const key = known ? undefined : selected;
  const further = useFurther({ path, set, next, wanted, key, fits }, MOST_SHOWN);
  const found = wanted ? [...first, ...further.rows.filter(fits)] : first;
  const edited = known ?? further.rows.find((row) => keyOf(set, row) === selected);
  useEscape(() => changeQuery({ row: undefined }));
  const table = (
    <section>
      <p class="quiet">{words.howToEdit}</p>
      {further.isLooking && <p class="quiet">{words.searching(count(rows.length + further.read.value))}</p>}
      {further.error !== undefined && <Failure error={further.error} onRetry={further.reload} />}
      {selected !== undefined && !edited && !further.isLooking && further.error === undefined && (
        <p>{words.noRow(selected)}</p>
      )}
      {wanted && next === undefined && (
        <p class="quiet">{words.found(count(found.length), count(rows.length))}</p>
      )}
      {found.length > MOST_SHOWN && <p class="quiet">{words.onlyFirst(count(MOST_SHOWN))}</p>}
      {found.length === 0 ? (
        !further.isLooking && <p>{words.noneFits}</p>
      ) : (
        <Table
          caption={words.sets[name]}
          columns={columnsOf(set, rows, (row, field) => write(row, field, place))}
          rows={found.slice(0, MOST_SHOWN)}
          keyOf={(row) => keyOf(set, row)}
          most={15}
          selected={selected}
          onSelect={(key) => changeQuery({ row: key === selected ? undefined : key })}
        />
      )}
    </section>
  );
  if (!edited) return table;
  return (
    <div class="columns">
      {table}
      <Edit
        key={selected!}
        name={name}
        row={edited}
        title={titleOf(name, edited, (field) => write(edited, field, place))}
        places={locations.value}
        onSaved={onChanged}
        onDeleted={() => {
          changeQuery({ row: undefined });
          onChanged();
        }}
        onClose={() => changeQuery({ row: undefined })}
      />
    </div>
  );
}

/** A row as a reader would name it. */
function titleOf(name: SetName, row: DataRow, write: (field: string) => string): string {
  if (name === 'locations') return String(row.name);
  if (name === 'fleet') return String(row.vehicle_id);
  if (name === 'events') return String(row.name ?? row.event_id);
  if (name === 'demand') return words.ofHour(write('location_id'), write('hour'));
  return words.ofPair(write('from_location_id'), write('to_location_id'));
}

/** Columns that no row has a value for are left out. */
function columnsOf(
  set: DataSet,
  rows: readonly DataRow[],
  write: (row: DataRow, field: string) => string,
): Column<DataRow>[] {
  const known = set.fields.filter((field) => rows.some((row) => field in row));
  return known.map((field): Column<DataRow> => {
    const isNumber = NUMBERS.has(field);
    const byText = field.endsWith('location_id');
    return {
      name: words.fields[field],
      value: (row) => (byText ? write(row, field) : sortable(row[field], isNumber)),
      cell: (row) => write(row, field),
      isNumber,
      isWhole: TIMES.has(field) || field.endsWith('_on') || field === 'vehicle_id',
    };
  });
}

/** Unknown numbers come after all others, the largest first. */
function sortable(value: DataRow[string], isNumber: boolean): number | string {
  if (typeof value === 'number') return value;
  return isNumber ? Number.NEGATIVE_INFINITY : String(value ?? '');
}
