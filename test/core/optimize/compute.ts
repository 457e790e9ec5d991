/** Uses this much CPU time, however long that takes. */
export function compute(ms: number): void {
  const { user, system } = process.threadCpuUsage();
  const usedMs = () => {
    const now = process.threadCpuUsage();
    return (now.user - user + now.system - system) / 1000;
  };
  while (usedMs() < ms);
}

/** @returns the CPU time that the process has used since, in ms: other work on the machine does not count */
export function startCpuClock(): () => number {
  const since = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(since);
    return (user + system) / 1000;
  };
}
