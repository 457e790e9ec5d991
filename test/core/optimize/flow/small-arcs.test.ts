import { expect, test } from 'vitest';
import { createCandidates } from '../../../../src/core/optimize/flow/candidates.ts';
import { createSmallArcs } from '../../../../src/core/optimize/flow/small-arcs.ts';
import { createSpanningTree, sinkNode } from '../../../../src/core/optimize/flow/spanning-tree.ts';
import { seeds } from '../../../helpers/depth.ts';
import { createRandom, type Random } from '../instances.ts';

type Arc = { i: number; j: number; cost: number };

/** Costs with ties and gaps, and some sources and sinks, of which some are both. */
function few(random: Random) {
  const n = random.integer(1, 12);
  const units = Float64Array.from({ length: n * n }, () =>
    random.chance(0.2) ? random.pick([-1, Number.POSITIVE_INFINITY]) : random.integer(0, 9),
  );
  const some = () => Int32Array.from(Array.from({ length: n }, (_, i) => i).filter(() => random.chance(0.7)));
  const [sources, sinks] = [some(), some()];
  const all: Arc[] = [];
  for (const i of sources) {
    for (const j of sinks) {
      const cost = units[i * n + j];
      if (i !== j && cost >= 0 && cost !== Number.POSITIVE_INFINITY) all.push({ i, j, cost });
    }
  }
  return { n, units, sources, sinks, all };
}

/** The arcs that `add` appends to an empty list, and that none is there twice. */
function added(n: number, add: (list: ReturnType<typeof createCandidates>) => void): Arc[] {
  const list = createCandidates(0);
  add(list);
  const arcs = Array.from({ length: list.count }, (_, a) => ({
    i: list.from[a],
    j: list.to[a] - sinkNode(n, 0),
    cost: list.cost[a],
  }));
  expect(new Set(arcs.map(({ i, j }) => i * n + j)).size).toBe(arcs.length);
  return arcs;
}

/** The costs of the k first of some arcs. */
const first = (arcs: Arc[], k: number, of: (arc: Arc) => number = ({ cost }) => cost) =>
  arcs
    .map(of)
    .sort((a, b) => a - b)
    .slice(0, k);

test('of few sources and sinks, each has its nearest arcs among the candidates, once, and no other arc is there', () => {
  for (const seed of seeds(0, 499)) {
    const random = createRandom(seed);
    const { n, units, sources, sinks, all } = few(random);
    const k = random.integer(1, 4);
    const arcs = createSmallArcs(n, units, sources, sinks);
    const found = added(n, (list) => arcs.addNearest(list, sources, sinks, k, () => {}));
    for (const arc of found) expect(all, `seed ${seed}`).toContainEqual(arc);
    const dearest = new Map<string, number>();
    for (const end of ['i', 'j'] as const) {
      for (const at of end === 'i' ? sources : sinks) {
        const here = first(
          all.filter((arc) => arc[end] === at),
          k,
        );
        expect(
          first(
            found.filter((arc) => arc[end] === at),
            here.length,
          ),
          `seed ${seed}`,
        ).toEqual(here);
        dearest.set(end + at, here.at(-1) ?? -1);
      }
    }
    for (const { i, j, cost } of found) {
      expect(cost, `seed ${seed}`).toBeLessThanOrEqual(
        Math.max(dearest.get(`i${i}`)!, dearest.get(`j${j}`)!),
      );
    }
  }
});

test('a pass over few arcs adds the most violated ones of each source', () => {
  for (const seed of seeds(0, 499)) {
    const random = createRandom(seed);
    const { n, units, sources, sinks, all } = few(random);
    const tree = createSpanningTree(n);
    for (const i of sources) tree.potential[i] = random.integer(-3, 3);
    for (const j of sinks) tree.potential[sinkNode(n, j)] = random.integer(0, 9);
    const reduced = ({ i, j, cost }: Arc) => cost + tree.potential[i] - tree.potential[sinkNode(n, j)];
    const arcs = createSmallArcs(n, units, sources, sinks);
    const found = added(n, (list) => arcs.addViolated(list, tree, sources, sinks, () => {}));
    for (const arc of found) expect(all, `seed ${seed}`).toContainEqual(arc);
    for (const i of sources) {
      const violated = all.filter((arc) => arc.i === i && reduced(arc) < 0);
      const ofSource = found.filter((arc) => arc.i === i);
      expect(first(ofSource, 8, reduced), `seed ${seed}`).toEqual(first(violated, 8, reduced));
    }
  }
});
