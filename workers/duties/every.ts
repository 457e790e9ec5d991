/**
 * Calls `work` every `ms` milliseconds, but skips calls while the last one is still running. So an unreachable server
 * does not get more and more calls.
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
