/**
 * The clock of the core; no other file of the core reads one. Deadlines are times of the monotonic clock, in ms. CPU
 * time of the thread counts if load from other work must not shorten a job.
 */

/** Monotonic time, in ms. */
export function nowMs(): number {
  return performance.now();
}

/** CPU time that this thread has used, in ms. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
