import { LRUCache } from 'lru-cache';
import type { Database } from '../../src/db/client.ts';
import { PAIR_BYTES, sharePack, type TravelPacks } from '../../src/db/travel/packed-travel.ts';
import { type PackKey, readPacks } from '../../src/db/travel/travel-packs.ts';

/** Four million pairs: the largest table that is promised. */
const MAX_BYTES = 4_000_000 * PAIR_BYTES;

/** Runs a query, and repeats it while the database is unreachable. */
type RunQuery = <T>(query: () => Promise<T>) => Promise<T>;

export type TravelCache = {
  /** Packs by their keys, in shared memory. Those that are cached are not read. */
  read(db: Database, keys: readonly PackKey[], runQuery: RunQuery): Promise<TravelPacks>;
  /** Bytes that are kept. */
  readBytes(): number;
};

/**
 * The stored travel that jobs of this process used last, packed, so that each version of a source is read once. A newer
 * version replaces an older one. Jobs keep the memory of packs that are dropped while they use it.
 * @param countUse is called once per source that is read
 */
export function createTravelCache(
  maxBytes = MAX_BYTES,
  countUse?: (cache: string, isHit: boolean) => void,
): TravelCache {
  const kept = new LRUCache<number, { revision: number; pack: SharedArrayBuffer }>({
    maxSize: maxBytes,
    sizeCalculation: ({ pack }) => Math.max(1, pack.byteLength),
  });
  const read = async (db: Database, keys: readonly PackKey[], runQuery: RunQuery) => {
    const found = keys.map(({ source, revision }) => {
      const one = kept.get(source);
      countUse?.('travel', one?.revision === revision);
      return one?.revision === revision ? one.pack : undefined;
    });
    const missing = keys.filter((_, at) => found[at] === undefined);
    const sent = missing.length > 0 ? await runQuery(() => readPacks(db, missing)) : [];
    let next = 0;
    const packs = keys.map(({ source, revision }, at) => {
      const pack = found[at] ?? sharePack(sent[next++]);
      // A repeated attempt may need an old version once more, which must not replace the newer one.
      if ((kept.peek(source)?.revision ?? revision) <= revision) kept.set(source, { revision, pack });
      return pack;
    });
    return { sources: Int32Array.from(keys, ({ source }) => source), packs };
  };

  let last: Promise<unknown> = Promise.resolve();
  return {
    // One after the other: two jobs that begin at once do not both read the same packs.
    read(db, keys, runQuery) {
      const reading = last.then(() => read(db, keys, runQuery));
      last = reading.catch(() => {});
      return reading;
    },
    readBytes: () => kept.calculatedSize,
  };
}
