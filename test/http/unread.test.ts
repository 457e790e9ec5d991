import { expect, test } from 'vitest';
import { openUnread } from '../../src/http/socket/unread.ts';

/** Connections that note what becomes of them. */
function openConnections(limit: number, names: string[]) {
  const unread = openUnread(limit);
  const ends: string[] = [];
  const readers = names.map((name) =>
    unread.open({ close: () => ends.push(`close ${name}`), cut: () => ends.push(`cut ${name}`) }),
  );
  return { unread, ends, readers };
}

test('while more waits than may, those that have most to read are closed, and no others', () => {
  const { unread, ends, readers } = openConnections(100, ['a', 'b', 'c']);
  const [a, b, c] = readers;
  const read = a!.sending(60);
  b!.sending(40);
  unread.makeRoom();
  expect(ends).toEqual([]);
  c!.sending(1000);
  unread.makeRoom();
  expect(ends).toEqual(['close c', 'cut c']);
  read();
  b!.sending(60);
  unread.makeRoom();
  expect(ends).toHaveLength(2);
});

test('what is being closed may be read, until that is as much again', () => {
  const { unread, ends, readers } = openConnections(100, ['a', 'b', 'c']);
  readers[0]!.sending(101);
  unread.makeRoom();
  readers[1]!.sending(90);
  unread.makeRoom();
  expect(ends).toEqual(['close a']);
  readers[2]!.sending(10);
  unread.makeRoom();
  expect(ends).toEqual(['close a', 'cut a']);
});

test('who has left, or has read, holds nothing', () => {
  const { unread, ends, readers } = openConnections(100, ['a', 'b']);
  const read = readers[0]!.sending(1000);
  readers[0]!.leave();
  read();
  readers[1]!.sending(1000)();
  unread.makeRoom();
  expect(ends).toEqual([]);
});
