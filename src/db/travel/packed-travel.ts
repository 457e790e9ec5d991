/**
 * Travel that begins at one location, packed: all kilometres, then all minutes (8 bytes each), then all targets (4),
 * by ascending target. Pure, and without the database: it is read in the thread that plans.
 */

/** Bytes of a pair. */
export const PAIR_BYTES = 20;

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Packs by the location where the travel begins, in memory that threads share. */
export type TravelPacks = { sources: Int32Array; packs: SharedArrayBuffer[] };

/** Copies a pack as PostgreSQL sends it, numbers big-endian, into shared memory, in the byte order of this machine. */
export function sharePack(sent: Uint8Array): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(sent.byteLength);
  new Uint8Array(shared).set(sent);
  if (IS_LITTLE_ENDIAN) {
    const numbers = (sent.byteLength / PAIR_BYTES) * 16;
    Buffer.from(shared, 0, numbers).swap64();
    Buffer.from(shared, numbers).swap32();
  }
  return shared;
}

/** The travel of packs, without a copy. */
export function openTravel({ sources, packs }: TravelPacks) {
  return new Map(packs.map((pack, at) => [sources[at], openPack(pack)]));
}

function openPack(pack: SharedArrayBuffer) {
  const count = pack.byteLength / PAIR_BYTES;
  return {
    km: new Float64Array(pack, 0, count),
    minutes: new Float64Array(pack, 8 * count, count),
    to: new Int32Array(pack, 16 * count, count),
  };
}
