import { signal } from '@preact/signals';

/** The text of the live region: the latest news that a reader may not see. */
export const news = signal('');

/** Tells a screen reader, also the same text twice. */
export function announce(text: string): void {
  news.value = '';
  queueMicrotask(() => {
    news.value = text;
  });
}
