/**
 * What is kept for later, in objects that are handed down: none of it changes a result, only how soon it is there.
 * A thread has one cache from request to request (the loaded solver, networks of recent locations); a problem has one that
 * all problems changed from it share (what searches have found out about it).
 */

/** One thing that a cache can keep, and how it begins. */
export type Slot<T> = { create: () => T };

export type Cache = { readonly held: Map<Slot<unknown>, unknown> };

export function createCache(): Cache {
  return { held: new Map() };
}

/** What the cache keeps in a slot; created when it is first asked for. */
export function keptIn<T>({ held }: Cache, slot: Slot<T>): T {
  if (!held.has(slot)) held.set(slot, slot.create());
  return held.get(slot) as T;
}
