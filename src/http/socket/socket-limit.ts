import type { FastifyRequest } from 'fastify';
import { AppError } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import { readCaller } from '../auth/caller.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Limits the sockets that each caller has open at this process. A socket uses memory and a connection of one process,
 * so each process counts its own.
 * @returns admits a handshake, and counts it until its connection ends; throws AppError RATE_LIMITED beyond the limit
 */
export function limitSockets({ WEBSOCKET_MAX_PER_CALLER: limit }: Pick<Config, 'WEBSOCKET_MAX_PER_CALLER'>) {
  const openByCaller = new Map<string, number>();
  const count = (caller: string, by: 1 | -1) => {
    const open = (openByCaller.get(caller) ?? 0) + by;
    if (open === 0) openByCaller.delete(caller);
    else openByCaller.set(caller, open);
  };
  return (request: FastifyRequest): void => {
    const { socket } = request.raw;
    // A request without an upgrade opens nothing. A caller that is gone already will not close again.
    if (limit === undefined || !request.ws || socket.closed) return;
    const { caller } = readCaller(request);
    if ((openByCaller.get(caller) ?? 0) >= limit) {
      const message =
        `you have ${limit} WebSockets open, which is the limit per caller (setting WEBSOCKET_MAX_PER_CALLER); close ` +
        'one, or follow several jobs over one socket';
      throw new AppError('RATE_LIMITED', message, RETRY_AFTER_SECONDS);
    }
    count(caller, 1);
    socket.once('close', () => count(caller, -1));
  };
}
