/**
 * Calls `work` every `ms` milliseconds, but not while the last call is still under way: a server that is away is not
 * asked ever more often.
 * @returns a function that stops it
 */
export function every(ms: number, work: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let isWorking = false;
  const timer = setInterval(() => {
    if (isWorking) return;
    isWorking = true;
    work()
      .catch(onError)
      .finally(() => {
        isWorking = false;
      });
  }, ms);
  return () => clearInterval(timer);
}
