import type { FastifyRequest } from 'fastify';
import { callerOfAddress, openAddressList } from '../../addresses.ts';
import { AppError } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import type { JobPriority } from '../../contracts/priorities.ts';

/** The maker of a job. Callers take turns with each other, and so do the clients of one caller. */
export type Caller = { caller: string; clientId: string };

/**
 * With authentication on, the caller is the owner of the key or the subject of the token. Else it is the address that
 * the request comes from: that of the connection, or the one that a trusted proxy reports (`HTTP_TRUSTED_PROXIES`). The
 * name that a client gives itself only separates clients of one caller, since anybody can send any name.
 */
export function readCaller(request: FastifyRequest): Caller {
  const clientId = request.headers['x-client-id'];
  const { owner } = request.identity;
  return {
    caller: owner ?? callerAddress(request),
    clientId: typeof clientId === 'string' ? clientId : '',
  };
}

/** The owner of an address: for IPv6, its network. */
function callerAddress(request: Pick<FastifyRequest, 'ip'>): string {
  // Despite its type the address is undefined once the caller has disconnected.
  const address = request.ip as string | undefined;
  return address === undefined ? 'unknown' : callerOfAddress(address).slice(0, 128);
}

/**
 * Decides which callers may use which priority.
 * @returns a check that throws AppError FORBIDDEN
 */
export function openPriorityCheck({ PRIORITY_HIGH_FOR: list }: Pick<Config, 'PRIORITY_HIGH_FOR'>) {
  const isNamed = list === 'everybody' || list === 'nobody' ? undefined : openAddressList(list);
  return (request: FastifyRequest, priority: JobPriority): void => {
    if (priority !== 'high' || list === 'everybody' || isNamed?.(request.ip ?? '')) return;
    const who =
      list === 'nobody' ? 'no caller may use it' : `${request.ip} is not among the callers that may use it`;
    const message = `the priority "high" is reserved (setting PRIORITY_HIGH_FOR): ${who}; use "normal" or "low"`;
    throw new AppError('FORBIDDEN', [{ field: 'options.priority', message }]);
  };
}
