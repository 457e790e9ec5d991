/**
 * Counts of trips as PostgreSQL sends them (`trip-pieces.ts`): a record of each, numbers big-endian. Pure, and without
 * the database: they are opened in the thread that plans.
 */

/** Bytes of a record: two ids (4 each), the hour of the week or −1 (2), the trips (8). */
const RECORD_BYTES = 18;

/** The counts of all pieces, in their order, in an array per field. O(counts) */
export function openTrips(pieces: readonly Uint8Array[]) {
  const count = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0) / RECORD_BYTES;
  const [from, to] = [new Int32Array(count), new Int32Array(count)];
  const [hour, trips] = [new Int16Array(count), new Float64Array(count)];
  let row = 0;
  for (const { buffer, byteOffset, byteLength } of pieces) {
    const view = new DataView(buffer, byteOffset, byteLength);
    for (let at = 0; at < byteLength; at += RECORD_BYTES, row++) {
      from[row] = view.getInt32(at);
      to[row] = view.getInt32(at + 4);
      hour[row] = view.getInt16(at + 8);
      trips[row] = view.getFloat64(at + 10);
    }
  }
  return { from, to, hour, trips };
}
