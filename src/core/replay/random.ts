/** Random numbers that depend on the seed, the hour and the location only, so that all policies meet the same draws. */

/** Uniform in [0, 1): Mulberry32 (Tommy Ettinger, public domain), begun at a mix of three whole numbers. */
export function drawsOf(seed: number, hour: number, location: number): () => number {
  let state = mixBits(mixBits(mixBits(seed | 0) ^ hour) ^ location);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The finalizer of MurmurHash3 (Austin Appleby, public domain). */
function mixBits(bits: number): number {
  let h = (bits + 0x9e3779b9) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
