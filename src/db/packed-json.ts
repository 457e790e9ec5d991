/**
 * Large JSON texts of jobs, packed on their way to PostgreSQL, which would parse such a text and compress it by a
 * slower method: an answer of 10 MB took it 0.2 s. Pure, and without the database: threads pack and unpack, too.
 */
import { promisify } from 'node:util';
import { constants, createZstdDecompress, zstdCompress, zstdDecompress, zstdDecompressSync } from 'node:zlib';

/** Shorter texts are stored as they are: SQL can read them, and packing takes longer than it saves. */
const MIN_PACKED_LENGTH = 64 * 1024;
/** The fastest level: a tenth of the bytes of a plan is left, and the next levels save little more. */
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Of what is unpacked. With 16 KiB, the default, an answer of 10 MB takes 640 turns of the event loop. */
const [PIECE_BYTES, WHOLE_BYTES] = [128 * 1024, 1024 ** 2];
/** Stored as the text if the text itself is packed. */
const STAND_IN = '{"packed": true}';

const compress = promisify(zstdCompress) as (data: string | Uint8Array, options: object) => Promise<Buffer>;
const decompress = promisify(zstdDecompress) as (data: Uint8Array, options: object) => Promise<Buffer>;

/** JSON as two columns hold it: the text (or its bytes), or a stand-in and the packed text. */
export type JsonColumns = { text: string | Uint8Array; packed: Uint8Array | null };

export const isLarge = (json: string | Uint8Array) => json.length >= MIN_PACKED_LENGTH;

/** Packs a text, or the bytes of one, if it is large; off the event loop. */
export async function packJson(json: string | Uint8Array): Promise<JsonColumns> {
  if (!isLarge(json)) return { text: json, packed: null };
  return { text: STAND_IN, packed: await compress(json, OPTIONS) };
}

/** Puts text before and after a packed one, which is not unpacked: packed texts in a row are one packed text. */
export async function packAround(before: string, packed: Uint8Array, after: string): Promise<JsonColumns> {
  const [head, tail] = await Promise.all([compress(before, OPTIONS), compress(after, OPTIONS)]);
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
