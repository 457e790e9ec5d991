import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { JobEvent } from '../../src/contracts/events.ts';
import { openSigner } from '../../src/queue/signed-events.ts';

const signer = openSigner(randomBytes(32));
const answer = { httpStatus: 200, body: '{"data":  "Ö€𝄞\\n\ud800"}' };
const figures = { stage: 'solve', incumbent: 5, bound: null, gap: 1, iterations: null };
const events: JobEvent[] = [
  { type: 'ended', job_id: 'opt_1', answer },
  { type: 'ended', job_id: 'opt_2' },
  { type: 'progress', job_id: 'opt_1', attempt: 1, progress: 0.5, ...figures },
  { type: 'cancel', job_id: 'opt_1' },
];

/** The events that a subscriber believes, and how often it looks for itself. */
function hearAll(messages: readonly string[], types: JobEvent['type'][] = ['ended', 'progress', 'cancel']) {
  const believed: JobEvent[] = [];
  let looks = 0;
  const hear = signer.hear(
    types,
    (event) => believed.push(event),
    () => looks++,
  );
  for (const message of messages) hear(message);
  return { believed, looks };
}

test('a signed event comes as it was sent, and the version before can read it', () => {
  const messages = events.map(signer.sign);
  expect(hearAll(messages)).toEqual({ believed: events, looks: 0 });
  expect(messages.map((message) => JSON.parse(message))).toMatchObject(events);
});

test('a message that differs in a single character is not believed, and whoever hears it looks', () => {
  const changed = events.map(signer.sign).flatMap((message) =>
    Array.from({ length: message.length }, (_, i) => {
      const other = message[i] === 'x' ? 'y' : 'x';
      return message.slice(0, i) + other + message.slice(i + 1);
    }),
  );
  expect(hearAll(changed)).toEqual({ believed: [], looks: changed.length });
});

test('what another secret signed, what nobody signed, and what is no event, is not believed and harms nobody', () => {
  const [first, second] = events.map(signer.sign);
  const strangers = [
    ...events.map(openSigner(randomBytes(32)).sign),
    ...events.map((event) => JSON.stringify(event)),
    // The signature of another event, and one that is not at the end.
    first.slice(0, first.indexOf(',"signature"')) + second.slice(second.indexOf(',"signature"')),
    `${first} `,
    ...['', '{}', '{', 'null', 'ended', '\u0000', 'Ö'.repeat(100)],
  ];
  expect(hearAll(strangers)).toEqual({ believed: [], looks: strangers.length });
});

test('a genuine event that is sent again over another channel is not heard there', () => {
  expect(hearAll(events.map(signer.sign), ['progress'])).toEqual({ believed: [events[2]], looks: 0 });
});
