import { SERVICE } from '../service.ts';

/** Other services may have the same host, below other paths. */
const STORED = `fleet-key ${SERVICE}`;

/** Key or token that every request sends. It is kept for this tab only, and is gone when the tab is closed. */
export const key = sessionStorage.getItem(STORED) ?? undefined;

/** Keeps another key, or none. Load the page anew then: nothing that the one before was shown stays. */
export function keepKey(chosen: string | undefined): void {
  if (chosen === undefined) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, chosen);
}
