import { Redis } from 'ioredis';
import { openBundle } from './bundle.ts';
import type { EventCipher } from './encrypted-events.ts';
import type { ChannelOf, EventBus } from './event-bus.ts';

/** The event bus on Redis pub/sub; ioredis reconnects and subscribes again by itself. */
export function openRedisBus(
  url: string,
  channelOf: ChannelOf,
  cipher: EventCipher,
  onError: (error: Error) => void,
): EventBus {
  const publisher = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 5000,
    lazyConnect: true,
  });
  publisher.on('error', onError);
  let connecting: Promise<void> | undefined;
  let subscriber: Redis | undefined;

  const bundle = openBundle(async (events) => {
    // Wait for the first connection. If it fails, ioredis keeps trying, and later events wait for it no more.
    if (publisher.status === 'wait') connecting = publisher.connect().catch(onError);
    await connecting;
    const commands = events.map((event) => ['publish', channelOf(event.type), cipher.encrypt(event)]);
    for (const [error] of (await publisher.pipeline(commands).exec()) ?? []) if (error) throw error;
  });

  return {
    publish: bundle.publish,
    async subscribe(types, listener, look) {
      const hear = cipher.hear(types, listener);
      subscriber = new Redis(url, { maxRetriesPerRequest: null });
      subscriber.on('error', onError);
      subscriber.on('message', (_channel, message) => hear(message));
      // `ready` comes before the old subscriptions are restored. Subscribing again is harmless and can be awaited.
      await new Promise<void>((resolve) => {
        subscriber?.on('ready', () => {
          subscriber?.subscribe(...types.map(channelOf)).then(() => {
            look();
            resolve();
          }, onError);
        });
      });
    },
    async close() {
      await bundle.close();
      publisher.disconnect();
      subscriber?.disconnect();
    },
  };
}
