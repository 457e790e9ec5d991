/** Stored travel of a job in packed form. Pure, and without the database: it is read in the thread that plans. */

/** Both ids, km, minutes, big-endian. */
const PAIR_BYTES = 24;

/** Unpacks the pairs of `takeTravel` into parallel arrays. */
export function unpackTravel(packed: Uint8Array) {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const count = packed.byteLength / PAIR_BYTES;
  const from = new Int32Array(count);
  const to = new Int32Array(count);
  const km = new Float64Array(count);
  const minutes = new Float64Array(count);
  for (let p = 0; p < count; p++) {
    const at = p * PAIR_BYTES;
    from[p] = view.getInt32(at);
    to[p] = view.getInt32(at + 4);
    km[p] = view.getFloat64(at + 8);
    minutes[p] = view.getFloat64(at + 16);
  }
  return { from, to, km, minutes };
}
