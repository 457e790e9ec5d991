import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { JobEvent } from '../../src/contracts/events.ts';
import { openSigner } from '../../src/queue/signed-events.ts';

const secret = randomBytes(32);
const signer = openSigner(secret, () => {});
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
  const hear = openSigner(secret, () => dropped++).hear(types, (event) => believed.push(event));
  for (const message of messages) hear(message);
  return { believed, dropped };
}

test('a signed event comes as it was sent', () => {
  const messages = events.map(signer.sign);
  expect(hearAll(messages)).toEqual({ believed: events, dropped: 0 });
});

test('a message that differs in a single character is dropped', () => {
  const changed = events.map(signer.sign).flatMap((message) =>
    Array.from({ length: message.length }, (_, i) => {
      const other = message[i] === 'x' ? 'y' : 'x';
      return message.slice(0, i) + other + message.slice(i + 1);
    }),
  );
  expect(hearAll(changed)).toEqual({ believed: [], dropped: changed.length });
});

test('what another secret signed, what nobody signed, and what is no event, is dropped and harms nobody', () => {
  const [first, second] = events.map(signer.sign);
  const strangers = [
    ...events.map(openSigner(randomBytes(32), () => {}).sign),
    ...events.map((event) => JSON.stringify(event)),
    // The signature of another event, and one that is not at the end.
    first.slice(0, first.indexOf(',"signature"')) + second.slice(second.indexOf(',"signature"')),
    `${first} `,
    ...['', '{}', '{', 'null', 'ended', '\u0000', 'Ö'.repeat(100)],
  ];
  expect(hearAll(strangers)).toEqual({ believed: [], dropped: strangers.length });
});

test('a genuine event that is sent again over another channel is not heard there', () => {
  expect(hearAll(events.map(signer.sign), ['progress'])).toEqual({ believed: [events[2]], dropped: 0 });
});
