import type { FastifyRequest } from 'fastify';
import { callerOfAddress, openAddressList } from '../addresses.ts';
import { AppError } from '../answers/errors.ts';
import type { Config } from '../config.ts';
import type { JobPriority } from '../contracts/priorities.ts';

/** Who makes a job: callers take turns with each other, and the clients of a caller among themselves. */
export type Caller = { caller: string; clientId: string };

/**
 * The caller is where the request comes from: the address of the connection, or what a trusted proxy says
 * (`HTTP_TRUSTED_PROXIES`). The name that a client gives itself counts only beside it, as anybody can write any name.
 */
export function readCaller(request: FastifyRequest): Caller {
  const clientId = request.headers['x-client-id'];
  // The address is undefined once the caller has hung up, contrary to its type.
  const address = request.ip as string | undefined;
  return {
    caller: address === undefined ? 'unknown' : callerOfAddress(address).slice(0, 128),
    clientId: typeof clientId === 'string' ? clientId : '',
  };
}

/**
 * Who may ask for which priority.
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
