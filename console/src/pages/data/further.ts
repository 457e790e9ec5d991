import { useSignal } from '@preact/signals';
import { findRows } from '../../api/data.ts';
import { useLoad } from '../../ui/load.ts';
import { type DataRow, type DataSet, keyOf } from './sets.ts';

/** A reader who still types is not answered. */
const REST_MS = 300;

type Asked = {
  path: string;
  set: DataSet;
  /** The cursor of the rows that the page has not read; undefined if it has all of them. */
  next: string | undefined;
  /** Looked for: rows with a text, and the one with a key, unless the page has it already. */
  wanted: string;
  key: string | undefined;
  fits: (row: DataRow) => boolean;
};

/** The matches among the rows that the page has not read. @param most rows that it can show */
export function useFurther({ path, set, next, wanted, key, fits }: Asked, most: number) {
  const read = useSignal(0);
  const isAsked = next !== undefined && (wanted !== '' || key !== undefined);
  const { data, error, isLoading, reload } = useLoad(
    async (signal) => {
      read.value = 0;
      if (!isAsked) return [];
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      signal.throwIfAborted();
      return findRows<DataRow>(
        { path, name: set.list, from: next },
        (row) => (wanted !== '' && fits(row)) || keyOf(set, row) === key,
        most,
        (rows) => {
          if (!signal.aborted) read.value = rows;
        },
        signal,
      );
    },
    [path, next, wanted, key],
  );
  return {
    rows: isAsked && !isLoading ? (data ?? []) : [],
    read,
    isLooking: isAsked && isLoading,
    error,
    reload,
  };
}
