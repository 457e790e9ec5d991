import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { saveAs } from '../../api/plans.ts';
import { count, decimal } from '../../format.ts';
import { texts } from '../../texts.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { csvOf } from './csv.ts';
import { type Ahead, type DueMove, hourOf, sumOf } from './outlook.ts';

const words = texts.ahead;

type Props = {
  ahead: Ahead;
  id: string;
  at: number;
  /** Only the moves of this location, if one is pinned. */
  location: number | undefined;
  lit: string | undefined;
  onHover: (key: string | undefined) => void;
  onPick: (key: string) => void;
};

/** Whole vehicles as such; parts of vehicles with a decimal. */
const written = (vehicles: number) =>
  Number.isInteger(vehicles)
    ? count(vehicles)
    : vehicles < 0.05
      ? words.below(decimal(0.1))
      : decimal(vehicles);

/** All moves, now and later: sorted, filtered, or taken along as CSV. */
export function MovesTable({ ahead, id, at, location, lit, onHover, onPick }: Props) {
  const wanted = useSignal('');
  const isOnlyStep = useSignal(false);
  const { moves, nameOf } = ahead;
  const text = wanted.value.trim().toLowerCase();
  const shown = useMemo(
    () =>
      moves.filter(
        ({ due, from, to }) =>
          (!isOnlyStep.value || due === at) &&
          (location === undefined || from === location || to === location) &&
          (text === '' || `${nameOf(from)} ${nameOf(to)}`.toLowerCase().includes(text)),
      ),
    [ahead, location, text, isOnlyStep.value, isOnlyStep.value && at],
  );
  const columns: Column<DueMove>[] = [
    {
      name: words.due,
      value: ({ due }) => due,
      cell: ({ due }) => (due === 0 ? words.nowShort : hourOf(ahead, due - 1)),
      isWhole: true,
    },
    { name: texts.today.from, value: ({ from }) => nameOf(from), cell: ({ from }) => nameOf(from) },
    { name: texts.today.to, value: ({ to }) => nameOf(to), cell: ({ to }) => nameOf(to) },
    {
      name: texts.map.workList.vehicles,
      value: ({ vehicles }) => vehicles,
      cell: ({ vehicles }) => written(vehicles),
      isNumber: true,
    },
  ];
  return (
    <section class="work-list">
      <h2>{words.moves(count(shown.length), count(sumOf(shown)))}</h2>
      <div class="tools-row">
        <input
          type="search"
          aria-label={texts.map.workList.filter}
          placeholder={texts.map.workList.filter}
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        <label class="tick">
          <input
            type="checkbox"
            checked={isOnlyStep.value}
            onChange={(event) => (isOnlyStep.value = event.currentTarget.checked)}
          />
          {words.onlyStep}
        </label>
        <button
          type="button"
          onClick={() => saveAs(`${id}-moves.csv`, new Blob([csvOf(ahead, shown)], { type: 'text/csv' }))}
        >
          {texts.map.workList.csv}
        </button>
      </div>
      {shown.length === 0 ? (
        <p class="quiet">{moves.length === 0 ? texts.today.noMoves : texts.map.workList.none}</p>
      ) : (
        <Table
          caption={words.caption}
          columns={columns}
          rows={shown}
          keyOf={({ key }) => key}
          most={25}
          selected={lit}
          onHover={onHover}
          onSelect={onPick}
        />
      )}
      <p class="quiet">{words.parts}</p>
    </section>
  );
}
