import { expect, test } from 'vitest';
import {
  attach,
  createSpanningTree,
  layOut,
  pivot,
  rootAtZero,
  type SpanningTree,
} from '../../../../src/core/optimize/flow/spanning-tree.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { createRandom } from '../instances.ts';

/** A random tree of all nodes, with flow on every arc that leads down. */
function randomTree(next: () => number, n: number): SpanningTree {
  const tree = createSpanningTree(n);
  const nodes = tree.parent.length;
  const inTree = [tree.root];
  for (let v = 0; v < nodes; v++) {
    if (v === tree.root) continue;
    const parent = inTree[Math.floor(next() * inTree.length)];
    attach(tree, v, parent, 1 + Math.floor(9 * next()), Math.floor(50 * next()));
    inTree.push(v);
  }
  layOut(tree);
  return tree;
}

/** Whether some arc limits the flow around the cycle of from → to: one that the flow passes backwards. */
function hasLimit({ parent, root }: SpanningTree, from: number, to: number): boolean {
  const wayUp = (node: number) => {
    const way = [node];
    for (let v = node; v !== root; v = parent[v]) way.push(parent[v]);
    return way;
  };
  const [left, right] = [wayUp(from), wayUp(to)];
  const join = left.find((v) => right.includes(v))!;
  const below = (way: number[]) => way.slice(0, way.indexOf(join));
  return below(left).some((v) => v < parent[v]) || below(right).some((v) => v > parent[v]);
}

/** Nodes in the order of the thread, of which each subtree is a run. */
function threadOf({ next, previous, root }: SpanningTree): number[] {
  const order = [root];
  for (let v = next[root]; v !== root; v = next[v]) {
    expect(previous[v]).toBe(order.at(-1));
    order.push(v);
  }
  expect(previous[root]).toBe(order.at(-1));
  return order;
}

test('after every pivot thread, sizes, last nodes and potentials are those of the parents', () => {
  let pivots = 0;
  let whole = 0;
  for (const seed of seeds(1, 60)) {
    const { next } = createRandom(seed);
    const tree = randomTree(next, 1 + Math.floor(12 * next()));
    const nodes = tree.parent.length;
    for (let r = 0; r < 30; r++) {
      const [a, b] = [Math.floor(next() * nodes), Math.floor(next() * nodes)];
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      if (from === to || tree.parent[from] === to || tree.parent[to] === from) continue;
      if (!hasLimit(tree, from, to)) continue;
      const { potential } = tree;
      const cost = potential[to] - potential[from] - 1 - Math.floor(20 * next());
      const before = tree.size[tree.root];
      pivot(tree, from, to, cost, cost + potential[from] - potential[to]);
      if (potential[tree.root] !== 0) whole++;
      rootAtZero(tree);
      pivots++;

      expect(tree.size[tree.root]).toBe(before);
      const order = threadOf(tree);
      expect(order).toHaveLength(nodes);
      const fresh = createSpanningTree(tree.n);
      for (let v = 0; v < nodes; v++) {
        if (v !== tree.root) attach(fresh, v, tree.parent[v], tree.flow[v], tree.cost[v]);
      }
      layOut(fresh);
      expect(tree.size, `seed ${seed}`).toEqual(fresh.size);
      expect(potential, `seed ${seed}`).toEqual(fresh.potential);
      for (const [at, v] of order.entries()) {
        expect(tree.last[v], `seed ${seed}`).toBe(order[at + tree.size[v] - 1]);
        if (v !== tree.root) expect(order.indexOf(tree.parent[v])).toBeLessThan(at);
      }
      expect(Math.min(...tree.flow)).toBeGreaterThanOrEqual(0);
    }
  }
  expect(pivots).toBeGreaterThan(enough(500));
  // Where the subtree that moves is the larger part, the others' potentials change.
  expect(whole).toBeGreaterThan(enough(20));
});
