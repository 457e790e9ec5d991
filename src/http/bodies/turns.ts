import { Readable } from 'node:stream';
import { readCaller } from '../auth/caller.ts';
import type { App } from '../deps.ts';
import { openFairLine } from '../fair-line.ts';

/**
 * A slow reader takes nothing for so many looks in a row. The clock does not count: while the process itself is held
 * up, nobody can read.
 */
const PATIENCE_LOOKS = 4;
const LOOK_MS = 500;

/** Pieces that are made at once: more would hold up everything else while many answers begin. */
const READS_AT_ONCE = 4;

/** Somebody who is sent a large answer. */
type Reader = {
  isGone(): boolean;
  /** Breaks the answer off, and ends the connection. */
  cut(): void;
};

/** Gives the pieces of a large answer as its reader takes them, once it is the caller's turn. */
export type Turns = <T>(caller: string, pieces: AsyncIterable<T>, reader: Reader) => AsyncGenerator<T>;

/**
 * Lets so many large answers be sent at once, since each takes some megabytes while it is sent; callers take turns.
 * While answers wait, as many readers as wait are cut off, those first that have taken nothing for longest: slow
 * readers neither fill the memory nor hold up others, and nobody who reads is refused.
 * @param places answers at once
 */
export function openTurns(places: number, lookMs = LOOK_MS): Turns {
  const line = openFairLine(places);
  const reads = openFairLine(READS_AT_ONCE);
  /** Readers that have been given a piece, the latest last, and the look before it. */
  const idle = new Map<Reader, number>();
  let looks = 0;
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const cutSlow = () => {
    looks++;
    const slow = [...idle].filter(([, given]) => looks - given > PATIENCE_LOOKS).slice(0, waiting);
    for (const [reader] of slow) reader.cut();
  };
  const wait = async (caller: string) => {
    if (waiting++ === 0) timer = setInterval(cutSlow, lookMs);
    const { promise, resolve } = Promise.withResolvers<() => void>();
    void line(caller, () => new Promise<void>((leave) => resolve(leave)));
    const leave = await promise;
    if (--waiting === 0) clearInterval(timer);
    return leave;
  };
  return async function* (caller, pieces, reader) {
    const leave = await wait(caller);
    const iterator = pieces[Symbol.asyncIterator]();
    try {
      while (!reader.isGone()) {
        const { value, done } = await reads(caller, () => iterator.next());
        if (done) return;
        idle.set(reader, looks);
        yield value;
        idle.delete(reader);
      }
    } finally {
      idle.delete(reader);
      leave();
      await iterator.return?.();
    }
  };
}

/** Sends every answer that is a stream in its caller's turn. @returns the turns, for whatever else is large */
export function sendInTurn(app: Pick<App, 'addHook'>, places: number): Turns {
  const turns = openTurns(places);
  app.addHook('onSend', async (request, _reply, payload) => {
    if (!(payload instanceof Readable)) return payload;
    const reader = {
      isGone: () => stream.destroyed,
      cut: () => void stream.destroy(new Error('the caller read nothing while other answers waited')),
    };
    const pieces = turns<unknown>(readCaller(request).caller, payload, reader);
    const stream = Readable.from(pieces, { highWaterMark: 1 });
    // It may never have been read.
    return stream.once('close', () => payload.destroy());
  });
  return turns;
}

/**
 * Lets a request begin when those before it on its connection are answered, as its answer must wait for theirs: however
 * many a client sends ahead, its connection holds one answer.
 */
export function answerInOrder(app: Pick<App, 'addHook'>): void {
  app.addHook('onRequest', (_request, { raw }, done) => {
    if (raw.socket) done();
    else raw.once('socket', () => done());
  });
}
