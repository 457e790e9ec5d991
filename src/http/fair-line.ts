/** Runs work in its caller's turn. @returns what the work gives; a failure of it is passed on */
export type FairLine = <T>(caller: string, work: () => Promise<T>) => Promise<T>;

/**
 * A waiting line in which callers take turns: the next one is a caller with the least work running, and of these the
 * one whose work ended first, or who came first. So one caller's line makes another caller wait for one place, not for
 * the line.
 * @param places work that runs at once
 */
export function openFairLine(places: number): FairLine {
  type Caller = { running: number; starts: (() => void)[] };
  /** Callers with work that runs or waits, in the order in which their work ended or they came. */
  const callers = new Map<string, Caller>();
  let free = places;

  const startNext = () => {
    let next: Caller | undefined;
    for (const caller of callers.values()) {
      if (caller.starts.length > 0 && !(next && next.running <= caller.running)) next = caller;
    }
    if (!next) return void free++;
    next.running++;
    next.starts.shift()?.();
  };

  return async (name, work) => {
    const caller = callers.get(name) ?? { running: 0, starts: [] };
    callers.set(name, caller);
    if (free > 0) {
      free--;
      caller.running++;
    } else await new Promise<void>((start) => caller.starts.push(start));
    try {
      return await work();
    } finally {
      // Before its own work counts as ended: another caller is next.
      startNext();
      caller.running--;
      callers.delete(name);
      if (caller.running > 0 || caller.starts.length > 0) callers.set(name, caller);
    }
  };
}
