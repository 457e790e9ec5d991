/**
 * Arrays in PostgreSQL's binary form: a header, then the length of each element in bytes and the element. PostgreSQL
 * takes them as they are, where it would parse text number by number. Pure.
 */

/** Numbers of the element types, fixed in every PostgreSQL (`pg_type.dat`). */
const ELEMENT_TYPES = { int4: 23, text: 25, float8: 701 };
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

const encoder = new TextEncoder();

/** For `integer[]`. */
export function intArrayBytes(length: number, valueAt: (i: number) => number): Uint8Array {
  const view = openArray(ELEMENT_TYPES.int4, length, length * (LENGTH_BYTES + 4));
  for (let i = 0, at = HEADER_BYTES; i < length; i++, at += LENGTH_BYTES + 4) {
    view.setInt32(at, 4);
    view.setInt32(at + LENGTH_BYTES, valueAt(i));
  }
  return new Uint8Array(view.buffer);
}

/** For `float8[]`. */
export function floatArrayBytes(length: number, valueAt: (i: number) => number): Uint8Array {
  const view = openArray(ELEMENT_TYPES.float8, length, length * (LENGTH_BYTES + 8));
  for (let i = 0, at = HEADER_BYTES; i < length; i++, at += LENGTH_BYTES + 8) {
    view.setInt32(at, 8);
    view.setFloat64(at + LENGTH_BYTES, valueAt(i));
  }
  return new Uint8Array(view.buffer);
}

/** For `text[]`. */
export function textArrayBytes(values: readonly string[]): Uint8Array {
  const texts = values.map((value) => encoder.encode(value));
  const size = texts.reduce((sum, text) => sum + LENGTH_BYTES + text.length, 0);
  const view = openArray(ELEMENT_TYPES.text, values.length, size);
  const bytes = new Uint8Array(view.buffer);
  let at = HEADER_BYTES;
  for (const text of texts) {
    view.setInt32(at, text.length);
    bytes.set(text, at + LENGTH_BYTES);
    at += LENGTH_BYTES + text.length;
  }
  return bytes;
}

/** An array with its header: dimensions, whether it has nulls, element type, length, first index. */
function openArray(oid: number, length: number, bytes: number): DataView {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + bytes));
  [1, 0, oid, length, 1].forEach((value, at) => {
    view.setInt32(at * 4, value);
  });
  return view;
}
