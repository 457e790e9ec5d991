import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { JobEvent } from '../contracts/events.ts';

/** The last field of a message. */
const FIELD = ',"signature":"';
const END = '"}';
/** SHA-256 in base64url. */
const SIGNATURE_LENGTH = 43;
const TAIL_LENGTH = FIELD.length + SIGNATURE_LENGTH + END.length;

export type EventSigner = {
  /** An event as the text of a message. */
  sign(event: JobEvent): string;
  /** A subscriber's handler of messages; parameters as of `EventBus.subscribe`. A stranger's message is dropped. */
  hear<T extends JobEvent['type']>(
    types: readonly T[],
    listener: (event: EventOf<T>) => void,
  ): (message: string) => void;
};

type EventOf<T> = Extract<JobEvent, { type: T }>;

const isOf = <T extends JobEvent['type']>(event: JobEvent, types: readonly T[]): event is EventOf<T> =>
  types.some((type) => type === event.type);

/**
 * Signs events, and believes only those that are signed. Whoever reaches Redis can publish, and every role of a
 * PostgreSQL database can notify: without the secret they cannot make up the answer of a job.
 * @param secret known to the processes of the service only
 * @param onStranger is told of messages that are dropped
 */
export function openSigner(secret: Uint8Array, onStranger: () => void): EventSigner {
  const key = createSecretKey(secret);
  const tailOf = (text: string) =>
    `${FIELD}${createHmac('sha256', key).update(text).digest('base64url')}${END}`;

  /** @returns undefined if nobody who knows the secret sent the message */
  function read(message: string): JobEvent | undefined {
    const at = message.length - TAIL_LENGTH;
    const text = `${message.slice(0, at)}}`;
    const [tail, expected] = [message.slice(at), tailOf(text)].map((part) => Buffer.from(part));
    return tail.length === expected.length && timingSafeEqual(tail, expected) ? JSON.parse(text) : undefined;
  }

  return {
    sign(event) {
      const text = JSON.stringify(event);
      return text.slice(0, -1) + tailOf(text);
    },
    hear: (types, listener) => (message) => {
      const event = read(message);
      if (!event) onStranger();
      // Somebody may have sent a genuine one again, over another channel.
      else if (isOf(event, types)) listener(event);
    },
  };
}
