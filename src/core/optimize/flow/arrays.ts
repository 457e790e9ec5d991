/**
 * Typed arrays of zeros, the small ones cut from buffers of 32 KB. In V8 an array that is longer than 64 bytes has memory outside
 * the heap, which takes about a microsecond to get; a piece of a buffer takes a twentieth of that. A flow needs some sixty arrays,
 * which took longer than all else where locations are few.
 * No piece is handed out twice; a buffer is freed with the last of its pieces. Neither post nor transfer a piece to another
 * thread: the whole buffer would go.
 */

const BUFFER_BYTES = 1 << 15;
/** Longer arrays get memory of their own. */
const MAX_PIECE_BYTES = BUFFER_BYTES / 8;

let floats = new Float64Array(0);
let ints = new Int32Array(0);
let bytes = new Uint8Array(0);
/** In units of 8 bytes, so that every piece is aligned. */
let next = 0;

/** @returns where a piece of so many units of 8 bytes begins */
function take(length: number): number {
  if (next + length > floats.length) {
    floats = new Float64Array(BUFFER_BYTES / 8);
    ints = new Int32Array(floats.buffer);
    bytes = new Uint8Array(floats.buffer);
    next = 0;
  }
  const at = next;
  next += length;
  return at;
}

/** So many zeros. */
export function float64(length: number): Float64Array {
  if (8 * length > MAX_PIECE_BYTES) return new Float64Array(length);
  const at = take(length);
  return floats.subarray(at, at + length);
}

/** So many zeros. */
export function int32(length: number): Int32Array {
  if (4 * length > MAX_PIECE_BYTES) return new Int32Array(length);
  const at = 2 * take((length + 1) >> 1);
  return ints.subarray(at, at + length);
}

/** So many zeros. */
export function uint8(length: number): Uint8Array {
  if (length > MAX_PIECE_BYTES) return new Uint8Array(length);
  const at = 8 * take((length + 7) >> 3);
  return bytes.subarray(at, at + length);
}
