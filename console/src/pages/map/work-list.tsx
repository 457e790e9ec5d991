import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Move } from '../../api/moves.ts';
import { downloadWorkList } from '../../api/plans.ts';
import { count, decimal } from '../../format.ts';
import type { Lit } from '../../map/draw.ts';
import type { Scene } from '../../map/scene.ts';
import { texts } from '../../texts.ts';
import { Failure } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

type Props = {
  planId: string;
  moves: Move[];
  scene: Scene;
  /** Only the moves of this location, if one is pinned. */
  location: number | undefined;
  lit: Lit;
  onHover: (key: string | undefined) => void;
  onPick: (key: string) => void;
};

/** The moves to make: sorted, filtered, printed, or taken along as CSV. */
export function WorkList({ planId, moves, scene, location, lit, onHover, onPick }: Props) {
  const words = texts.map.workList;
  const wanted = useSignal('');
  const fault = useSignal<unknown>(undefined);
  const name = (id: number) => scene.spots.get(id)?.name ?? String(id);
  const text = wanted.value.trim().toLowerCase();
  const shown = useMemo(
    () =>
      moves.filter(
        ({ from, to }) =>
          (location === undefined || from === location || to === location) &&
          (text === '' || `${name(from)} ${name(to)}`.toLowerCase().includes(text)),
      ),
    [moves, location, text],
  );
  const columns: Column<Move>[] = [
    { name: texts.today.from, value: ({ from }) => name(from), cell: ({ from }) => name(from) },
    { name: texts.today.to, value: ({ to }) => name(to), cell: ({ to }) => name(to) },
    {
      name: words.vehicles,
      value: (move) => move.vehicles,
      cell: (move) => count(move.vehicles),
      isNumber: true,
    },
    { name: words.cost, value: ({ cost }) => cost, cell: ({ cost }) => decimal(cost), isNumber: true },
  ];
  return (
    <section class="work-list">
      <h2>
        {words.title(count(shown.length), count(shown.reduce((sum, { vehicles }) => sum + vehicles, 0)))}
      </h2>
      <div class="tools-row">
        <input
          type="search"
          aria-label={words.filter}
          placeholder={words.filter}
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        <button type="button" onClick={() => window.print()}>
          {words.print}
        </button>
        <button
          type="button"
          onClick={() => downloadWorkList(planId).catch((error: unknown) => (fault.value = error))}
        >
          {words.csv}
        </button>
      </div>
      {fault.value !== undefined && <Failure error={fault.value} />}
      {shown.length === 0 ? (
        <p class="quiet">{moves.length === 0 ? texts.today.noMoves : words.none}</p>
      ) : (
        <Table
          caption={words.caption}
          columns={columns}
          rows={shown}
          keyOf={({ key }) => key}
          most={25}
          isPrintedWhole
          selected={lit.move}
          onHover={onHover}
          onSelect={onPick}
        />
      )}
      {shown.length > 0 && <p class="quiet">{texts.costs}</p>}
    </section>
  );
}
