import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Sends JSON that is text already (a stored answer, a stream): nothing is parsed and serialised again. */
export function sendJsonText(reply: FastifyReply, text: string | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
