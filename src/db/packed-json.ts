/**
 * Large JSON texts of jobs, packed on their way to PostgreSQL, which would parse such a text and compress it by a
 * slower method: an answer of 10 MB took it 0.2 s. Pure, and without the database: threads pack and unpack, too.
 */
import { promisify } from 'node:util';
import {
  constants,
  createZstdDecompress,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';

/** Shorter texts are stored as they are: SQL can read them, and packing takes longer than it saves. */
const MIN_PACKED_LENGTH = 64 * 1024;
/** The fastest level: a tenth of the bytes of a plan is left, and the next levels save little more. */
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 1 };
/**
 * Packed bytes are collected in buffers of this share of the text, so that nearly always one is enough: for each,
 * packing waits for a turn of the event loop, which may be busy meanwhile.
 */
const BUFFER_SHARE = 0.25;
const LEAST_BUFFER_BYTES = 1024;
/** Size of unpacked chunks. With 16 KiB, the default, an answer of 10 MB takes 640 turns of the event loop. */
const [PIECE_BYTES, WHOLE_BYTES] = [128 * 1024, 1024 ** 2];
/** Stored as the text if the text itself is packed. */
const STAND_IN = '{"packed": true}';

const compressWith = promisify(zstdCompress) as (
  data: string | Uint8Array,
  options: object,
) => Promise<Buffer>;
const decompress = promisify(zstdDecompress) as (data: Uint8Array, options: object) => Promise<Buffer>;

/** JSON as two columns hold it: the text (or its bytes), or a stand-in and the packed text. */
export type JsonColumns = { text: string | Uint8Array; packed: Uint8Array | null };

/** Packs a text, or the bytes of one, off the event loop. */
export const packText = (data: string | Uint8Array): Promise<Buffer> =>
  compressWith(data, {
    params: LEVEL,
    chunkSize: Math.max(LEAST_BUFFER_BYTES, Math.ceil(data.length * BUFFER_SHARE)),
  });

const isLarge = (json: string | Uint8Array) => json.length >= MIN_PACKED_LENGTH;

/** Whether the text of two columns only stands in for a packed one. */
export const isStandIn = (text: string) => text === STAND_IN;

/** Packs a text, or the bytes of one, if it is large; off the event loop. */
export async function packJson(json: string | Uint8Array): Promise<JsonColumns> {
  if (!isLarge(json)) return { text: json, packed: null };
  return { text: STAND_IN, packed: await packText(json) };
}

/** Bytes in a buffer of their own, which can be moved to another thread: small buffers of Node share one. */
export const ownBytes = ({ text, packed }: JsonColumns): JsonColumns => ({
  text,
  packed: packed && new Uint8Array(packed),
});

/** Puts text before and after a packed one, which is not unpacked: packed texts in a row are one packed text. */
export async function packAround(before: string, packed: Uint8Array, after: string): Promise<JsonColumns> {
  const [head, tail] = await Promise.all([packText(before), packText(after)]);
  return { text: STAND_IN, packed: Buffer.concat([head, packed, tail]) };
}

/** The bytes of a packed text; off the event loop. */
export const unpackJson = (packed: Uint8Array): Promise<Buffer> =>
  decompress(packed, { chunkSize: WHOLE_BYTES });

/**
 * The same piece by piece, as it is read: ten megabytes at once, outside the JavaScript heap, make V8 collect all of
 * that heap.
 */
export async function* unpackPieces(packed: Uint8Array): AsyncGenerator<Uint8Array> {
  const unpacking = createZstdDecompress({ chunkSize: PIECE_BYTES });
  unpacking.end(packed);
  yield* unpacking;
}

/** The same in a thread, as text. @param json text, or a packed one */
export function readPackedText(json: string | Uint8Array): string {
  return typeof json === 'string' ? json : zstdDecompressSync(json, { chunkSize: WHOLE_BYTES }).toString();
}

/**
 * Node before 26.10 unpacks only the first of packed texts in a row, and reports no fault: answers would be cut.
 * @param unpack of this Node; another one in tests
 * @throws Error if it does so
 */
export function assertUnpacksRows(unpack: (packed: Uint8Array) => Uint8Array = zstdDecompressSync): void {
  const row = Buffer.concat(['whole ', 'text'].map((text) => zstdCompressSync(text)));
  if (String(unpack(row)) === 'whole text') return;
  throw new Error(`Node ${process.version} would cut large answers short; use Node 26.10 or newer`);
}
