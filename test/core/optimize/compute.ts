/** Uses this much CPU time, however long that takes. */
export function compute(ms: number): void {
  const { user, system } = process.threadCpuUsage();
  const usedMs = () => {
    const now = process.threadCpuUsage();
    return (now.user - user + now.system - system) / 1000;
  };
  while (usedMs() < ms);
}
