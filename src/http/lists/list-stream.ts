import { Readable } from 'node:stream';
import { metadata } from '../../answers/envelope.ts';
import { CHUNK_CHARACTERS } from '../bodies/raw-json.ts';

/** Rows per query and per chunk of a streamed list: some hundred KB. */
export const STREAM_PAGE_ROWS = 5000;

/**
 * Streams a list as one JSON envelope, page by page: memory holds two pages, however long the list is, and the rows are
 * read no faster than the caller reads them. No database connection is held between pages.
 *
 * The first page is read before the answer starts. So an unreachable database still gets its error envelope. If a
 * later page fails, the connection breaks: a caller never gets a complete answer with part of the rows.
 * @param key name of the list in `data`
 * @param readPage reads at most STREAM_PAGE_ROWS rows after the given one
 * @param rest further fields of `data`, read after all rows
 */
export async function streamList<R>(
  requestId: string,
  key: string,
  readPage: (after: R | null) => Promise<R[]>,
  rest: () => Promise<Record<string, unknown>>,
): Promise<Readable> {
  const first = await readPage(null);
  async function* chunks() {
    let text = `{"status":"success","data":{"${key}":[`;
    for (let page = first, separator = ''; ; separator = ',') {
      if (page.length > 0) text += separator + JSON.stringify(page).slice(1, -1);
      yield text;
      text = '';
      if (page.length < STREAM_PAGE_ROWS) break;
      page = await readPage(page[page.length - 1]);
    }
    const fields = JSON.stringify(await rest()).slice(1, -1);
    yield `]${fields && `,${fields}`}},"metadata":${JSON.stringify(metadata(requestId))}}`;
  }
  // At most one page waits. By default sixteen would be read ahead of a slow reader.
  return Readable.from(chunks(), { highWaterMark: 1 });
}

/**
 * Streams `data` that comes as pieces of JSON, text or bytes, in one envelope. Pieces are taken no faster than the
 * caller reads them. If a later piece fails, the connection breaks, as for a list.
 */
export function streamData(
  requestId: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Readable {
  async function* chunks() {
    let text = '{"status":"success","data":';
    for await (const piece of pieces) {
      if (typeof piece === 'string') text += piece;
      if (text.length >= CHUNK_CHARACTERS || typeof piece !== 'string') {
        yield text;
        text = '';
      }
      if (typeof piece !== 'string') yield piece;
    }
    yield `${text},"metadata":${JSON.stringify(metadata(requestId))}}`;
  }
  return Readable.from(nonEmpty(chunks()), { highWaterMark: 1 });
}

async function* nonEmpty(chunks: AsyncIterable<string | Uint8Array>) {
  for await (const chunk of chunks) if (chunk.length > 0) yield chunk;
}
