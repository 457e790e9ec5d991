/**
 * Demand that is not certain, in parts that come with a chance.
 *
 * With K equally likely outcomes d_1 ≤ … ≤ d_K, the part from d_p to d_p+1 comes with the chance (K − p) / K.
 * Of x vehicles, each of capacity c, E min(D, c x) is what they serve: concave, and piecewise linear in x. So a vehicle
 * that is needed only in the highest outcome is worth a Kth of one that is needed in all of them. This is the value of
 * stock in the newsvendor problem (Arrow, Harris, Marschak 1951), with outcomes in place of a distribution.
 */
import type { DemandParts, HorizonProblem } from './types.ts';

const CERTAIN = Float64Array.of(1);

/** The parts of the demand of a problem: one, which is certain, if it has none. */
export function partsOf({ parts, demand }: Pick<HorizonProblem, 'parts' | 'demand'>): DemandParts {
  return parts ?? { chances: CERTAIN, sizes: demand };
}

/**
 * Where vehicles are that are ready for a part: trips begin with its chance, otherwise the vehicle waits.
 * @param trips nodes where trips end @param waiting node
 */
export function tripsWithChance(
  trips: readonly { node: number; share: number }[],
  chance: number,
  waiting: number,
): readonly { node: number; share: number }[] {
  if (chance === 1) return trips;
  const found = trips.map(({ node, share }) => ({
    node,
    share: chance * share + (node === waiting ? 1 - chance : 0),
  }));
  if (!trips.some(({ node }) => node === waiting)) found.push({ node: waiting, share: 1 - chance });
  return found;
}

/** @param outcomes equally likely, T × n each, ascending at every node; at least one */
export function partsFromOutcomes(outcomes: readonly Float64Array[]): DemandParts {
  const count = outcomes.length;
  const size = outcomes[0].length;
  const sizes = new Float64Array(count * size);
  for (const [p, outcome] of outcomes.entries())
    for (let u = 0; u < size; u++)
      sizes[p * size + u] = Math.max(0, outcome[u] - (p === 0 ? 0 : outcomes[p - 1][u]));
  return { chances: Float64Array.from({ length: count }, (_, p) => (count - p) / count), sizes };
}

/** Demand that is expected: Σ chance · size. @returns T × n */
export function expectedDemand({ chances, sizes }: DemandParts): Float64Array {
  const size = sizes.length / chances.length;
  return Float64Array.from({ length: size }, (_, u) =>
    chances.reduce((sum, chance, p) => sum + chance * sizes[p * size + u], 0),
  );
}

/** The parts of the demand of the nodes `from` up to `to`. */
export function partsOfNodes({ chances, sizes }: DemandParts, from: number, to: number): DemandParts {
  const size = sizes.length / chances.length;
  const some = new Float64Array(chances.length * (to - from));
  for (let p = 0; p < chances.length; p++)
    some.set(sizes.subarray(p * size + from, p * size + to), p * (to - from));
  return { chances, sizes: some };
}

/** The parts without what others serve, whatever comes. @param served demand by location, n */
export function withoutServed({ chances, sizes }: DemandParts, served: ArrayLike<number>): DemandParts {
  const size = sizes.length / chances.length;
  const open = sizes.slice();
  for (let u = 0; u < size; u++) {
    let left = served[u % served.length];
    for (let k = u; k < open.length && left > 0; k += size) {
      const taken = Math.min(left, open[k]);
      open[k] -= taken;
      left -= taken;
    }
  }
  return { chances, sizes: open };
}

/** Relative: loads that are so close to a whole number are whole. */
const LOAD_NOISE = 1e-12;

/**
 * What x whole vehicles serve, in pieces: from the vehicle after the piece before up to the vehicle `upTo`, each serves
 * `served` more. Never ascending, and exact at every whole x. The last piece serves nothing and has no end.
 * @param u node @param load demand that a vehicle serves
 */
export function wholePieces(
  { chances, sizes }: DemandParts,
  u: number,
  load: number,
): { upTo: number; served: number }[] {
  const size = sizes.length / chances.length;
  const pieces: { upTo: number; served: number }[] = [];
  let [last, servedByLast, end] = [0, 0, 0];
  const addUpTo = (x: number) => {
    if (x <= last) return;
    const served = servedBy({ chances, sizes }, u, load, x);
    pieces.push({ upTo: x, served: (served - servedByLast) / (x - last) });
    [last, servedByLast] = [x, served];
  };
  for (let p = 0; p < chances.length; p++) {
    end += sizes[p * size + u];
    const loads = (end / load) * (1 + LOAD_NOISE);
    addUpTo(Math.floor(loads));
    // One vehicle more serves what is left of this part, and the beginning of the next.
    if (end > Math.floor(loads) * load) addUpTo(Math.floor(loads) + 1);
  }
  pieces.push({ upTo: Number.POSITIVE_INFINITY, served: 0 });
  return pieces;
}

/** What vehicles serve of the demand of a node, the surest parts first; they may be divided. */
function servedBy({ chances, sizes }: DemandParts, u: number, load: number, vehicles: number): number {
  const size = sizes.length / chances.length;
  let left = vehicles * load;
  let served = 0;
  for (const [p, chance] of chances.entries()) {
    const taken = Math.min(left, sizes[p * size + u]);
    served += chance * taken;
    left -= taken;
  }
  return served;
}
