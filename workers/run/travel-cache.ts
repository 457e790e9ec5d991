import type { Database } from '../../src/db/client.ts';
import { sharePack, type TravelPacks } from '../../src/db/travel/packed-travel.ts';
import { type PackKey, readPacks } from '../../src/db/travel/travel-packs.ts';

/** 26.8 million pairs: the largest table that is promised, 25 million. */
const MAX_BYTES = 2 ** 29;

/** Packs per query: at most 25 MB. */
const PACKS_PER_QUERY = 250;

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
 * version replaces an older one. Beyond `maxBytes` the sources that were not used for longest are dropped; jobs that
 * still use them keep their memory.
 * @param countUse is called once per source that is read
 */
export function createTravelCache(
  maxBytes = MAX_BYTES,
  countUse?: (cache: string, isHit: boolean) => void,
): TravelCache {
  const kept = new Map<number, { revision: number; pack: SharedArrayBuffer }>();
  let bytes = 0;
  const drop = (source: number) => {
    bytes -= kept.get(source)?.pack.byteLength ?? 0;
    kept.delete(source);
  };
  const keep = ({ source, revision }: PackKey, pack: SharedArrayBuffer) => {
    const found = kept.get(source);
    // A repeated attempt may need an old version once more.
    if (found && found.revision > revision) return;
    drop(source);
    kept.set(source, { revision, pack });
    bytes += pack.byteLength;
  };
  const evict = () => {
    for (const source of kept.keys()) {
      if (bytes <= maxBytes) return;
      drop(source);
    }
  };

  const read = async (db: Database, keys: readonly PackKey[], runQuery: RunQuery) => {
    const packs: SharedArrayBuffer[] = [];
    const missing: number[] = [];
    for (const [at, key] of keys.entries()) {
      const found = kept.get(key.source);
      countUse?.('travel', found?.revision === key.revision);
      if (found?.revision !== key.revision) {
        missing.push(at);
        continue;
      }
      packs[at] = found.pack;
      keep(key, found.pack);
    }
    for (let i = 0; i < missing.length; i += PACKS_PER_QUERY) {
      const batch = missing.slice(i, i + PACKS_PER_QUERY);
      const sent = await runQuery(() =>
        readPacks(
          db,
          batch.map((at) => keys[at]),
        ),
      );
      for (const [b, at] of batch.entries()) {
        packs[at] = sharePack(sent[b]);
        keep(keys[at], packs[at]);
      }
      evict();
    }
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
    readBytes: () => bytes,
  };
}
