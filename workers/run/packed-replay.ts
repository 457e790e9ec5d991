/**
 * The stored data of a replay as bytes that outlive the process: an attempt may be of another version of Node, or of
 * the service. The length of a header in bytes (4), the header as JSON, then the observations of its stretches, 8 bytes
 * each; numbers little-endian; all compressed by gzip.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { DemandSeries } from '../../src/core/forecast/types.ts';
import type { StoredReplay } from '../../src/core/replay/stored-replay.ts';

/** The version of the form. Count it up with every change of the bytes, or of what they mean. */
export const REPLAY_FORM = 1;

const [LENGTH_BYTES, VALUE_BYTES] = [4, 8];

type Stretch = Pick<DemandSeries, 'startHour' | 'values'>;
/** The parts of a series: its stretch, then the older ones, each with the number of its hours. */
type SeriesHeader = Pick<DemandSeries, 'locationId' | 'timeZone'> & {
  stretches: { startHour: number; hours: number }[];
  hasOlder: boolean;
};
type KeptReplay = Omit<StoredReplay, 'request'>;
type Header = Omit<KeptReplay, 'series'> & { series: SeriesHeader[] };

/** All but the request, which the job has. O(observations) */
export async function packReplay(stored: StoredReplay): Promise<Uint8Array> {
  // Observations are small whole numbers, mostly: an eighth of their bytes is left.
  return await promisify(gzip)(bytesOf(stored), { level: 1 });
}

/** @param packed by `packReplay`, of the form `REPLAY_FORM` */
export async function unpackReplay(packed: Uint8Array): Promise<KeptReplay> {
  return replayOf(await promisify(gunzip)(packed));
}

/** The form without compression. */
export function bytesOf(stored: StoredReplay): Uint8Array {
  const { points, known, firstHour, hours, timeZone, vehicles, costPerKm } = stored;
  const stretches: Stretch[] = [];
  const series = stored.series.map(
    ({ locationId, timeZone: zone, startHour, values, older }): SeriesHeader => {
      const own = [{ startHour, values }, ...(older ?? [])];
      stretches.push(...own);
      const sizes = own.map((one) => ({ startHour: one.startHour, hours: one.values.length }));
      return { locationId, timeZone: zone, stretches: sizes, hasOlder: older !== undefined };
    },
  );
  const header: Header = { points, known, firstHour, hours, timeZone, vehicles, costPerKm, series };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const count = stretches.reduce((sum, { values }) => sum + values.length, 0);
  const bytes = new Uint8Array(LENGTH_BYTES + text.length + VALUE_BYTES * count);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, text.length, true);
  bytes.set(text, LENGTH_BYTES);
  let at = LENGTH_BYTES + text.length;
  for (const { values } of stretches) {
    for (const value of values) {
      view.setFloat64(at, value, true);
      at += VALUE_BYTES;
    }
  }
  return bytes;
}

function replayOf({ buffer, byteOffset, byteLength }: Uint8Array): KeptReplay {
  const view = new DataView(buffer, byteOffset, byteLength);
  const length = view.getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, byteOffset + LENGTH_BYTES, length));
  const { series, ...stored }: Header = JSON.parse(text);
  let at = LENGTH_BYTES + length;
  const stretchOf = ({ startHour, hours }: { startHour: number; hours: number }): Stretch => {
    const values = new Float64Array(hours);
    for (let h = 0; h < hours; h++, at += VALUE_BYTES) values[h] = view.getFloat64(at, true);
    return { startHour, values };
  };
  return {
    ...stored,
    series: series.map(({ locationId, timeZone, stretches, hasOlder }) => {
      const [own, ...older] = stretches.map(stretchOf);
      return { locationId, timeZone, ...own, ...(hasOlder && { older }) };
    }),
  };
}
