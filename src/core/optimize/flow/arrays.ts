/**
 * Zero-filled typed arrays for one solve. Small ones are cut from buffers of 32 KB: in V8 an array longer than 64
 * bytes has memory outside the heap, whose allocation takes about a microsecond; a piece of a buffer takes a
 * twentieth of that. A flow needs about sixty arrays, whose allocation dominated the time of small problems.
 * No two arrays in use share memory. Without spare buffers a buffer is freed with the last of its pieces; with them
 * `release` ends the use of all. Neither post nor transfer a piece to
 * another thread: the whole buffer would go with it.
 *
 * Memory that the operating system has yet to provide takes 6 to 25 times as long as clearing it. So the buffers of a
 * search that has ended serve those that follow in the same thread.
 */
import type { Slot } from '../run/cache.ts';

const BUFFER_BYTES = 1 << 15;
/** Longer arrays get memory of their own. Without spare buffers the first buffer has this size, too. */
const MAX_PIECE_BYTES = BUFFER_BYTES / 8;

/** What is given back beyond it is left to the garbage collector. */
const MAX_SPARE_BYTES = 1 << 25;

/** Buffers that nobody uses, of sizes that are powers of 2, with whatever they held last. */
export class SpareBuffers {
  #bySize = new Map<number, ArrayBuffer[]>();
  #bytes = 0;

  /** @returns a buffer of `size` bytes; undefined: none is spare */
  take(size: number): ArrayBuffer | undefined {
    const buffer = this.#bySize.get(size)?.pop();
    if (buffer) this.#bytes -= size;
    return buffer;
  }

  giveBack(buffer: ArrayBuffer): void {
    const size = buffer.byteLength;
    if (this.#bytes + size > MAX_SPARE_BYTES) return;
    this.#bytes += size;
    const same = this.#bySize.get(size);
    if (same) same.push(buffer);
    else this.#bySize.set(size, [buffer]);
  }
}

/** Those of a thread. */
export const SPARE_BUFFERS: Slot<SpareBuffers> = { create: () => new SpareBuffers() };

export class Arrays {
  readonly #spare: SpareBuffers | undefined;
  /** Those to give back. */
  #used: ArrayBuffer[] = [];
  #floats = new Float64Array(0);
  #ints = new Int32Array(0);
  #bytes = new Uint8Array(0);
  /** In units of 8 bytes, so that every piece is aligned. */
  #next = 0;
  /** Size of the next buffer. */
  #nextBytes: number;

  /** @param spare buffers to use; `release` gives them back */
  constructor(spare?: SpareBuffers) {
    this.#spare = spare;
    this.#nextBytes = spare ? BUFFER_BYTES : MAX_PIECE_BYTES;
  }

  /** @returns a zero-filled array */
  float64(length: number): Float64Array {
    if (8 * length > MAX_PIECE_BYTES) return new Float64Array(this.#bufferOf(8 * length), 0, length);
    const at = this.#take(length);
    return this.#floats.subarray(at, at + length);
  }

  /** @returns a zero-filled array */
  int32(length: number): Int32Array {
    if (4 * length > MAX_PIECE_BYTES) return new Int32Array(this.#bufferOf(4 * length), 0, length);
    const at = 2 * this.#take((length + 1) >> 1);
    return this.#ints.subarray(at, at + length);
  }

  /** @returns a zero-filled array */
  uint8(length: number): Uint8Array {
    if (length > MAX_PIECE_BYTES) return new Uint8Array(this.#bufferOf(length), 0, length);
    const at = 8 * this.#take((length + 7) >> 3);
    return this.#bytes.subarray(at, at + length);
  }

  /** Gives all memory back to the spare buffers. No array may be read or written afterwards. */
  release(): void {
    for (const buffer of this.#used) this.#spare?.giveBack(buffer);
    this.#used = [];
    this.#next = this.#floats.length;
  }

  /** @returns where a piece of `length` units of 8 bytes begins */
  #take(length: number): number {
    if (this.#next + length > this.#floats.length) {
      const buffer = this.#bufferOf(this.#nextBytes);
      this.#nextBytes = Math.min(BUFFER_BYTES, 2 * this.#nextBytes);
      this.#floats = new Float64Array(buffer);
      this.#ints = new Int32Array(buffer);
      this.#bytes = new Uint8Array(buffer);
      this.#next = 0;
    }
    const at = this.#next;
    this.#next += length;
    return at;
  }

  /** A buffer whose first `bytes` are zero. */
  #bufferOf(bytes: number): ArrayBuffer {
    if (!this.#spare || bytes > MAX_SPARE_BYTES) return new ArrayBuffer(bytes);
    let size = MAX_PIECE_BYTES;
    while (size < bytes) size *= 2;
    const spare = this.#spare.take(size);
    if (spare) new Uint8Array(spare, 0, bytes).fill(0);
    const buffer = spare ?? new ArrayBuffer(size);
    this.#used.push(buffer);
    return buffer;
  }
}
