/** A connection that is sent bytes, and may read them slowly or not at all. */
type Connection = {
  /** Ends it in order: what was sent may still be read. */
  close(): void;
  /** Cuts it off, with what was sent. */
  cut(): void;
};

/** The bytes that wait for one connection. */
type Reader = {
  /** Notes bytes that are sent. @returns notes that they have left the process */
  sending(bytes: number): () => void;
  /** The connection is over. */
  leave(): void;
};

/** The bytes that wait in a process for all who read them. */
export type Unread = {
  open(connection: Connection): Reader;
  /**
   * Ends connections, those first that have most to read, while more waits than may. Call it before something is sent:
   * one large answer is no backlog for a reader that keeps up.
   */
  makeRoom(): void;
};

type Entry = Connection & { bytes: number; isClosing: boolean };

/** @param limit bytes of all connections together; those that are being closed may hold as much again */
export function openUnread(limit: number): Unread {
  const entries = new Set<Entry>();
  let open = 0;
  let closing = 0;
  const change = (entry: Entry, bytes: number) => {
    if (!entries.has(entry)) return;
    entry.bytes += bytes;
    if (entry.isClosing) closing += bytes;
    else open += bytes;
  };
  const forget = (entry: Entry) => {
    change(entry, -entry.bytes);
    entries.delete(entry);
  };
  const slowest = (isClosing: boolean) =>
    [...entries].filter((one) => one.isClosing === isClosing).reduce((a, b) => (b.bytes > a.bytes ? b : a));
  return {
    open(connection) {
      const entry: Entry = { ...connection, bytes: 0, isClosing: false };
      entries.add(entry);
      return {
        sending(bytes) {
          change(entry, bytes);
          return () => change(entry, -bytes);
        },
        leave: () => forget(entry),
      };
    },
    makeRoom() {
      while (open > limit) {
        const entry = slowest(false);
        open -= entry.bytes;
        closing += entry.bytes;
        entry.isClosing = true;
        entry.close();
      }
      while (open + closing > 2 * limit && closing > 0) {
        const entry = slowest(true);
        forget(entry);
        entry.cut();
      }
    },
  };
}
