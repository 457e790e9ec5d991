import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { JobEvent } from '../contracts/events.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

export type EventCipher = {
  /** An event as the text of a message. */
  encrypt(event: JobEvent): string;
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
 * Encrypts events, and believes only those that are encrypted with the same secret. Whoever reaches Redis can publish
 * and subscribe, and every role of a PostgreSQL database can notify and listen: without the secret they can neither
 * make up the answer of a job nor read it.
 * @param secret known to the processes of the service only
 * @param onStranger is told of messages that are dropped
 */
export function openCipher(secret: Uint8Array, onStranger: () => void): EventCipher {
  const key = createHash('sha256').update(secret).digest();
  const options = { authTagLength: TAG_LENGTH };

  /** @returns undefined if nobody who knows the secret sent the message */
  function open(message: string): JobEvent | undefined {
    const bytes = Buffer.from(message, 'base64');
    if (bytes.length < NONCE_LENGTH + TAG_LENGTH) return undefined;
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_LENGTH), options);
    decipher.setAuthTag(bytes.subarray(-TAG_LENGTH));
    try {
      const text = decipher.update(bytes.subarray(NONCE_LENGTH, -TAG_LENGTH), undefined, 'utf8');
      return JSON.parse(text + decipher.final('utf8'));
    } catch {
      return undefined;
    }
  }

  return {
    encrypt(event) {
      const nonce = randomBytes(NONCE_LENGTH);
      const cipher = createCipheriv(ALGORITHM, key, nonce, options);
      const bytes = [nonce, cipher.update(JSON.stringify(event)), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(bytes).toString('base64');
    },
    hear: (types, listener) => (message) => {
      const event = open(message);
      if (!event) onStranger();
      // Somebody may have sent a genuine one again, over another channel.
      else if (isOf(event, types)) listener(event);
    },
  };
}
