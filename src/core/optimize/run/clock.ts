/**
 * The clock of the core: no other file of it reads one. Deadlines are times of the monotonic clock, in ms; what a thread has
 * used of a processor counts where a busy machine must not take a job's time away.
 */

/** Monotonic time, in ms. */
export function nowMs(): number {
  return performance.now();
}

/** Processor time that this thread has used, in ms. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
