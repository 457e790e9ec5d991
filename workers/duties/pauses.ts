/** How often the clock is read. */
const TICK_MS = 200;
/** Shorter gaps between two ticks do not count as pauses: a busy machine or a long task causes them too. */
const MIN_PAUSE_MS = 1000;

/** A pause has not cut work short if it had at least this share of its time limit. */
const FAIR_SHARE = 0.9;

/** Measures the time in which this process did not run at all. */
export type PauseWatch = {
  /** Milliseconds without running since the watch began, including the gap up to now. It never falls. */
  readPausedMs(): number;
  close(): void;
};

/**
 * Watches for pauses of the whole process: SIGSTOP, a frozen container, a paused virtual machine, a machine that swaps.
 * Clocks continue during a pause, so time limits pass without any work. A gap between two ticks may also be a long task
 * of the event loop. That uses processor time; a pause does not.
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
      // After a pause, another timer that is due may fire before this one.
      tick();
      return pausedMs;
    },
    close: () => clearInterval(timer),
  };
}

/**
 * Whether a pause has cut work short: its time limit has passed, and it could not work for much of it. Work that ended
 * well before the limit was not stopped by it, however long the pause.
 * @param elapsedMs from the start of the work to its end, pauses included
 */
export function isCutShort(elapsedMs: number, pausedMs: number, limitMs: number): boolean {
  const fairMs = FAIR_SHARE * limitMs;
  return pausedMs > 0 && elapsedMs >= fairMs && elapsedMs - pausedMs < fairMs;
}
