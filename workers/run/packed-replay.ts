/**
 * The stored data of a replay as JSON, packed like other large texts. It outlives the process: an attempt may be of
 * another version of the service.
 */
import type { DemandSeries } from '../../src/core/forecast/types.ts';
import type { StoredReplay } from '../../src/core/replay/stored-replay.ts';
import { packText, unpackJson } from '../../src/db/packed-json.ts';

/** The version of the form. Count it up with every change of the text, or of what it means. */
export const REPLAY_FORM = 2;

type KeptReplay = Omit<StoredReplay, 'request'>;
type Stretch = Pick<DemandSeries, 'startHour' | 'values'>;

/** All but the request, which the job has. O(observations) */
export async function packReplay(stored: StoredReplay): Promise<Uint8Array> {
  return packText(textOf(stored));
}

/** @param packed by `packReplay`, of the form `REPLAY_FORM` */
export async function unpackReplay(packed: Uint8Array): Promise<KeptReplay> {
  const { series, ...stored }: KeptReplay = JSON.parse((await unpackJson(packed)).toString());
  return {
    ...stored,
    series: series.map(({ older, ...own }) => ({
      ...observed(own),
      ...(older && { older: older.map(observed) }),
    })),
  };
}

/** The text before it is packed. An hour that was not observed, NaN, is null there. */
export function textOf({ request: _, series, ...stored }: StoredReplay): string {
  const plain = <S extends Stretch>(stretch: S) => ({ ...stretch, values: Array.from(stretch.values) });
  const all = series.map(({ older, ...own }) => ({
    ...plain(own),
    ...(older && { older: older.map(plain) }),
  }));
  return JSON.stringify({ ...stored, series: all });
}

function observed<S extends Stretch>(stretch: S): S {
  const values = stretch.values as unknown as (number | null)[];
  return { ...stretch, values: Float64Array.from(values.map((value) => value ?? Number.NaN)) };
}
