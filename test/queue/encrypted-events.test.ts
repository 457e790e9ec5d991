import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { JobEvent } from '../../src/contracts/events.ts';
import { openCipher } from '../../src/queue/encrypted-events.ts';

const secret = randomBytes(32);
const { encrypt } = openCipher(secret, () => {});
const answer = { httpStatus: 200, body: '{"data":  "Ö€𝄞\\n\ud800"}' };
const figures = { stage: 'solve', incumbent: 5, bound: null, gap: 1, iterations: null };
const events: JobEvent[] = [
  { type: 'ended', job_id: 'opt_1', answer },
  { type: 'ended', job_id: 'opt_2' },
  { type: 'progress', job_id: 'opt_1', attempt: 1, progress: 0.5, ...figures },
  { type: 'cancel', job_id: 'opt_1' },
];

/** The events that a subscriber believes, and how many messages it drops. */
function hearAll(messages: readonly string[], types: JobEvent['type'][] = ['ended', 'progress', 'cancel']) {
  const believed: JobEvent[] = [];
  let dropped = 0;
  const hear = openCipher(secret, () => dropped++).hear(types, (event) => believed.push(event));
  for (const message of messages) hear(message);
  return { believed, dropped };
}

test('an encrypted event comes as it was sent', () => {
  expect(hearAll(events.map(encrypt))).toEqual({ believed: events, dropped: 0 });
});

test('a message shows neither job nor answer, nor that two events are the same', () => {
  const messages = [...events, ...events].map(encrypt);
  expect(new Set(messages).size).toBe(messages.length);
  for (const message of messages) {
    const bytes = Buffer.from(message, 'base64').toString('latin1');
    expect(bytes).not.toMatch(/job_id|httpStatus|progress/);
  }
});

test('a message that differs in a single bit is dropped', () => {
  const changed = events.map(encrypt).flatMap((message) => {
    const bytes = Buffer.from(message, 'base64');
    return Array.from({ length: 8 * bytes.length }, (_, i) => {
      const other = Buffer.from(bytes);
      other[i >> 3] ^= 1 << (i & 7);
      return other.toString('base64');
    });
  });
  expect(hearAll(changed)).toEqual({ believed: [], dropped: changed.length });
});

test('what another secret encrypted, what nobody did, and what is no event, is dropped and harms nobody', () => {
  const [first, second] = events.map((event) => Buffer.from(encrypt(event), 'base64'));
  const strangers = [
    ...events.map(openCipher(randomBytes(32), () => {}).encrypt),
    ...events.map((event) => JSON.stringify(event)),
    // Parts of two messages, and of one.
    Buffer.concat([first.subarray(0, 12), second.subarray(12)]).toString('base64'),
    ...[12, 28, 29, first.length - 1].map((length) => first.subarray(0, length).toString('base64')),
    Buffer.concat([first, Buffer.of(0)]).toString('base64'),
    ...['', '{}', '{', 'null', 'ended', '\u0000', 'Ö'.repeat(100)],
  ];
  expect(hearAll(strangers)).toEqual({ believed: [], dropped: strangers.length });
});

test('a genuine event that is sent again over another channel is not heard there', () => {
  expect(hearAll(events.map(encrypt), ['progress'])).toEqual({ believed: [events[2]], dropped: 0 });
});
