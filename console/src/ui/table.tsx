import { useSignal } from '@preact/signals';
import type { ComponentChildren, Key } from 'preact';
import { flushSync } from 'preact/compat';
import { useEffect } from 'preact/hooks';
import { count } from '../format.ts';
import { texts } from '../texts.ts';

export type Column<Row> = {
  name: string;
  /** The value that rows are sorted by; a column without it cannot be sorted. */
  value?: (row: Row) => number | string;
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
  /** A date or an id, which is not wrapped. */
  isWhole?: boolean;
};

type Props<Row> = {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  /** Rows that are shown at first. */
  most?: number;
  /** Whether a print has all rows. */
  isPrintedWhole?: boolean;
  selected?: string | undefined;
  onHover?: (key: string | undefined) => void;
  onSelect?: (key: string) => void;
};

/** A table that sorts by its columns. Rows can be one selection with a picture beside it. */
export function Table<Row>(props: Props<Row>) {
  const { caption, columns, rows, keyOf, most = 10, isPrintedWhole, selected, onHover, onSelect } = props;
  const sorting = useSignal<{ at: number; isDown: boolean } | undefined>(undefined);
  const isWhole = useSignal(false);
  useEffect(() => {
    if (!isPrintedWhole) return;
    let wasWhole = false;
    // At once: the browser prints what is there when this returns.
    const showAll = () =>
      flushSync(() => {
        wasWhole = isWhole.peek();
        isWhole.value = true;
      });
    const showAsBefore = () => {
      isWhole.value = wasWhole;
    };
    window.addEventListener('beforeprint', showAll);
    window.addEventListener('afterprint', showAsBefore);
    return () => {
      window.removeEventListener('beforeprint', showAll);
      window.removeEventListener('afterprint', showAsBefore);
    };
  }, [isPrintedWhole]);
  const value = sorting.value && columns[sorting.value.at]?.value;
  const order = sorting.value?.isDown ? -1 : 1;
  const sorted = value ? rows.toSorted((a, b) => order * compare(value(a), value(b))) : rows;
  const shown = isWhole.value ? sorted : sorted.slice(0, most);
  const sortBy = (at: number) => {
    const isDown = sorting.value?.at === at ? !sorting.value.isDown : columns[at].isNumber === true;
    sorting.value = { at, isDown };
  };
  return (
    <div class="table">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, value: sortable }, i) => (
              <th
                key={name}
                scope="col"
                class={isNumber ? 'number' : undefined}
                aria-sort={
                  sorting.value?.at === i ? (sorting.value.isDown ? 'descending' : 'ascending') : undefined
                }
              >
                {sortable ? (
                  <button type="button" title={texts.table.sortBy(name)} onClick={() => sortBy(i)}>
                    {name}
                  </button>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => {
            const key = keyOf(row);
            return (
              <Row key={key} id={key} isSelected={selected === key} onHover={onHover} onSelect={onSelect}>
                {columns.map(({ name, cell, isNumber, isWhole }) => (
                  <td key={name} class={isNumber ? 'number' : isWhole ? 'whole' : undefined}>
                    {cell(row)}
                  </td>
                ))}
              </Row>
            );
          })}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" onClick={() => (isWhole.value = true)}>
          {texts.table.more(count(rows.length - shown.length))}
        </button>
      )}
    </div>
  );
}

type RowProps = {
  key: Key;
  id: string;
  isSelected: boolean;
  onHover: ((key: string | undefined) => void) | undefined;
  onSelect: ((key: string) => void) | undefined;
  children: ComponentChildren;
};

function Row({ id, isSelected, onHover, onSelect, children }: RowProps) {
  if (!onSelect) return <tr>{children}</tr>;
  return (
    <tr
      class="choice"
      tabIndex={0}
      aria-selected={isSelected}
      onMouseEnter={() => onHover?.(id)}
      onMouseLeave={() => onHover?.(undefined)}
      onFocus={() => onHover?.(id)}
      onBlur={() => onHover?.(undefined)}
      onClick={() => onSelect(id)}
      onKeyDown={(event) => event.key === 'Enter' && onSelect(id)}
    >
      {children}
    </tr>
  );
}

function compare(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}
