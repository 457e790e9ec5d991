/**
 * Caches are objects that callers hand down. A cache never changes a result, only the time it takes.
 * A thread has one cache across requests (the loaded solver, networks of recent locations). A problem shares one
 * cache with all problems changed from it (findings of searches about it).
 */

/** One entry that a cache can hold, and how it is created. */
export type Slot<T> = { create: () => T };

export type Cache = { readonly held: Map<Slot<unknown>, unknown> };

export function createCache(): Cache {
  return { held: new Map() };
}

/** The cache's value for a slot; created on first use. */
export function keptIn<T>({ held }: Cache, slot: Slot<T>): T {
  if (!held.has(slot)) held.set(slot, slot.create());
  return held.get(slot) as T;
}
