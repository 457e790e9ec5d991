import { Readable } from 'node:stream';
import { metadata } from '../envelope.ts';

/** Rows per query and per chunk of a streamed list: some hundred KB. */
export const STREAM_PAGE_ROWS = 5000;

/**
 * Streams a list as one JSON envelope, page by page: memory holds two pages, whatever the length of the list, and a
 * slow reader slows the reading. No database connection is held between pages.
 *
 * The first page is read before the answer starts, so that a database that is away still gets its error envelope.
 * Should a later page fail, the connection breaks: a caller never gets a whole answer with part of the rows.
 * @param key name of the list in `data`
 * @param readPage reads at most STREAM_PAGE_ROWS rows after the given one
 * @param rest further fields of `data`, asked for when all rows are through
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
  // One page waits at most: the default would read sixteen ahead of a slow reader.
  return Readable.from(chunks(), { highWaterMark: 1 });
}
