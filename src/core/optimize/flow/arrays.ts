/**
 * Zero-filled typed arrays for one solve. Small ones are cut from buffers of 32 KB: in V8 an array longer than 64
 * bytes has memory outside the heap, whose allocation takes about a microsecond; a piece of a buffer takes a
 * twentieth of that. A flow needs about sixty arrays, whose allocation dominated the time of small problems.
 * No piece is handed out twice; a buffer is freed with the last of its pieces. Neither post nor transfer a piece to
 * another thread: the whole buffer would go with it.
 */

const BUFFER_BYTES = 1 << 15;
/** Longer arrays get memory of their own. */
const MAX_PIECE_BYTES = BUFFER_BYTES / 8;

export class Arrays {
  #floats = new Float64Array(0);
  #ints = new Int32Array(0);
  #bytes = new Uint8Array(0);
  /** In units of 8 bytes, so that every piece is aligned. */
  #next = 0;

  /** @returns a zero-filled array */
  float64(length: number): Float64Array {
    if (8 * length > MAX_PIECE_BYTES) return new Float64Array(length);
    const at = this.#take(length);
    return this.#floats.subarray(at, at + length);
  }

  /** @returns a zero-filled array */
  int32(length: number): Int32Array {
    if (4 * length > MAX_PIECE_BYTES) return new Int32Array(length);
    const at = 2 * this.#take((length + 1) >> 1);
    return this.#ints.subarray(at, at + length);
  }

  /** @returns a zero-filled array */
  uint8(length: number): Uint8Array {
    if (length > MAX_PIECE_BYTES) return new Uint8Array(length);
    const at = 8 * this.#take((length + 7) >> 3);
    return this.#bytes.subarray(at, at + length);
  }

  /** @returns where a piece of `length` units of 8 bytes begins */
  #take(length: number): number {
    if (this.#next + length > this.#floats.length) {
      this.#floats = new Float64Array(BUFFER_BYTES / 8);
      this.#ints = new Int32Array(this.#floats.buffer);
      this.#bytes = new Uint8Array(this.#floats.buffer);
      this.#next = 0;
    }
    const at = this.#next;
    this.#next += length;
    return at;
  }
}
