/** How often the clock is read. */
const TICK_MS = 200;
/** Shorter gaps between two ticks are no pauses: a busy machine and a long task make such, too. */
const MIN_PAUSE_MS = 1000;

/** Notes the time in which this process did not run at all. */
export type PauseWatch = {
  /** Milliseconds without a run since the watch began, the gap up to now included; it never falls. */
  readPausedMs(): number;
  close(): void;
};

/**
 * Watches for pauses of the whole process: SIGSTOP, a frozen container, a virtual machine that is paused, a machine
 * that swaps. Clocks go on meanwhile, so that limits pass in which nothing was computed.
 * A gap between two ticks may also be a long task of the event loop; that takes processor time, which a pause does not.
 */
export function watchPauses(): PauseWatch {
  let pausedMs = 0;
  let lastMs = performance.now();
  let lastCpu = process.cpuUsage();
  const tick = () => {
    const nowMs = performance.now();
    const { user, system } = process.cpuUsage(lastCpu);
    const gapMs = nowMs - lastMs;
    if (gapMs >= MIN_PAUSE_MS) pausedMs += Math.max(0, gapMs - (user + system) / 1000);
    lastMs = nowMs;
    lastCpu = process.cpuUsage();
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    readPausedMs() {
      // Of the timers that are due after a pause this one need not be the first.
      tick();
      return pausedMs;
    },
    close: () => clearInterval(timer),
  };
}
