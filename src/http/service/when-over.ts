import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request that was broken off by its caller, as reverse proxies count it. */
const BROKEN_OFF = 499;
/** A WebSocket, which has no other answer. */
const SWITCHED = 101;

/**
 * Calls `end` once when a request is over, whatever became of its answer: sent, broken off by its caller, or a
 * WebSocket that has closed. Fastify's `onResponse` is not called for answers that are broken off.
 * @param end its argument is the status of the answer; 499: broken off
 */
export function whenOver(request: FastifyRequest, reply: FastifyReply, end: (status: number) => void): void {
  const { raw } = reply;
  const over = () => end(raw.writableFinished ? reply.statusCode : request.ws ? SWITCHED : BROKEN_OFF);
  // A caller may be gone before a later hook asks for this.
  if (raw.closed) over();
  else raw.once('close', over);
}
