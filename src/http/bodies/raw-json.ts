import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Characters that are encoded and sent at once. */
export const CHUNK_CHARACTERS = 64 * 1024;
/** Longer texts are sent in pieces: encoding fifty megabytes at once would block all other requests. */
const MAX_WHOLE_CHARACTERS = 1024 ** 2;

/** Sends JSON that is already text (a stored answer, pieces of it), without parsing and serializing it again. */
export function sendJsonText(
  reply: FastifyReply,
  text: string | AsyncIterable<string | Uint8Array>,
): FastifyReply {
  const isWhole = typeof text === 'string' && text.length <= MAX_WHOLE_CHARACTERS;
  const pieces = typeof text === 'string' ? cutText(text) : text;
  return reply
    .type('application/json; charset=utf-8')
    .send(isWhole || pieces instanceof Readable ? text : Readable.from(pieces, { highWaterMark: 1 }));
}

/** Cuts a text into pieces that can be encoded one by one: no cut is inside a character. */
export function* cutText(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const isHighSurrogate = (text.charCodeAt(start + CHUNK_CHARACTERS - 1) & 0xfc00) === 0xd800;
    const end = start + CHUNK_CHARACTERS - (isHighSurrogate ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}

/** Adds JSON unchanged as the last field of an object. @param object JSON text of an object that is not empty */
export async function* insertJson(object: string, key: string, value: string | AsyncIterable<Uint8Array>) {
  yield `${object.slice(0, -1)},"${key}":`;
  yield* typeof value === 'string' ? cutText(value) : value;
  yield '}';
}
