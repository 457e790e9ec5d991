import type { WebSocket } from 'ws';
import type { Turns } from '../bodies/turns.ts';
import type { Unread } from './unread.ts';

const TOO_SLOW = 'too slow: read faster, or subscribe to fewer jobs';
const UNREADABLE = 'the answer could not be read; subscribe again';

/**
 * What a socket is sent, in order. Who reads too slowly is closed with 1013.
 * @param caller who takes turns with others
 */
export function openOutbox(socket: WebSocket, unread: Unread, turns: Turns, caller: string) {
  const close = () => socket.close(1013, TOO_SLOW);
  const reader = unread.open({ close, cut: () => socket.terminate() });
  socket.once('close', reader.leave);
  const isGone = () => socket.readyState !== socket.OPEN;
  /** The end of what is sent in pieces, and of what waits behind it; undefined: nothing is. */
  let busy: Promise<void> | undefined;
  /** No other message may come between pieces. */
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const mine = (busy ?? Promise.resolve()).then(work);
    const over = () => {
      if (busy === settled) busy = undefined;
    };
    const settled: Promise<void> = mine.then(over, over);
    busy = settled;
    return mine;
  };
  return {
    isBusy: () => busy !== undefined,
    send(message: string): void {
      if (isGone()) return;
      unread.makeRoom();
      // It may have been this one that was closed.
      if (isGone()) return;
      const sent = reader.sending(message.length);
      if (busy) void inOrder(async () => socket.send(message, sent));
      else socket.send(message, sent);
    },
    /**
     * Sends a large message in its turn, as fragments, each when the one before has left the process.
     * @throws what the pieces throw; if part of them is sent by then, the socket is closed
     */
    sendPieces: (pieces: AsyncIterable<string | Uint8Array>) =>
      inOrder(async () => {
        let stop: (() => void) | undefined;
        const push = (piece: string | Uint8Array, fin: boolean) =>
          new Promise<void>((resolve) => {
            stop = resolve;
            socket.send(piece, { binary: false, fin }, () => resolve());
          });
        const cut = () => {
          close();
          stop?.();
        };
        let last: string | Uint8Array | undefined;
        let isBegun = false;
        try {
          for await (const piece of turns(caller, pieces, { isGone, cut })) {
            if (last !== undefined) {
              isBegun = true;
              await push(last, false);
            }
            last = piece;
          }
          if (last !== undefined) await push(last, true);
        } catch (error) {
          if (isBegun) socket.close(1011, UNREADABLE);
          throw error;
        }
      }),
  };
}
