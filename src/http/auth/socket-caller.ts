import type { Queryable } from '../../db/client.ts';
import { readJob } from '../../db/jobs/jobs.ts';
import type { Guard } from './guard.ts';
import { type Identity, onlyOwner } from './identity.ts';

/** The caller that opened a WebSocket, as far as its session needs to know. */
export type SocketCaller = {
  /** whether key or token still count */
  isValid(): Promise<boolean>;
  /** whether the caller may see a job; false if it does not exist */
  mayFollow(jobId: string): Promise<boolean>;
  /** Calls `end` once key or token count no more. @returns ends that */
  follow(end: () => void): () => void;
};

export function socketCaller(db: Queryable, guard: Guard, identity: Identity): SocketCaller {
  return {
    isValid: () => guard.isValid(identity),
    mayFollow: async (jobId) => (await readJob(db, jobId, onlyOwner(identity))) !== undefined,
    follow: (end) => guard.follow(identity, end),
  };
}
