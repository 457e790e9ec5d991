/** Room for the first bytes of each request: large bodies of others never take it away. */
const SMALL_BYTES = 256 * 1024;
/** However small the largest request is: so many small ones find room. */
const MIN_BYTES = 32 * SMALL_BYTES;
/** Share of the room for what is larger than that. */
const LARGE_SHARE = 0.8;
/** Share of that which one caller may take. */
const CALLER_SHARE = 0.75;

/** The bytes that one request holds. */
export type Hold = {
  /** Takes room for more bytes. @returns false if there is none: nothing is taken */
  add(bytes: number): boolean;
  /** Whether so many bytes would find room now. */
  fits(bytes: number): boolean;
  /** Gives all of it back. A second call does nothing. */
  release(): void;
};

/** Opens the hold of one request of a caller. */
export type Room = (caller: string) => Hold;

/**
 * Room for bytes that callers make a process hold, all of them together. Small requests find room while large ones fill
 * their share, and no caller fills that alone.
 * @param bytes its size, 8 MiB at least
 */
export function openRoom(bytes: number): Room {
  const limit = Math.max(bytes, MIN_BYTES);
  const largeLimit = limit * LARGE_SHARE;
  let held = 0;
  const byCaller = new Map<string, number>();
  const change = (caller: string, bytes: number) => {
    held += bytes;
    const now = (byCaller.get(caller) ?? 0) + bytes;
    if (now === 0) byCaller.delete(caller);
    else byCaller.set(caller, now);
  };
  return (caller) => {
    let own = 0;
    const fits = (bytes: number) => {
      if (own + bytes <= SMALL_BYTES) return held + bytes <= limit;
      const ofCaller = (byCaller.get(caller) ?? 0) + bytes;
      return held + bytes <= largeLimit && ofCaller <= largeLimit * CALLER_SHARE;
    };
    return {
      fits,
      add(bytes) {
        if (!fits(bytes)) return false;
        own += bytes;
        change(caller, bytes);
        return true;
      },
      release() {
        change(caller, -own);
        own = 0;
      },
    };
  };
}
