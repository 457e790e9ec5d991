import { expect, test } from 'vitest';
import { checkRequest } from '../../../../src/core/optimize/request/check.ts';
import { isFullDepth, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { byPriorityByTryingAll } from '../exhaustive.ts';
import { SETTINGS } from '../instances.ts';
import { disagreement } from './compare.ts';
import { mixedInstance } from './every-rule.ts';

const INSTANCES = 5000;
const LARGEST_COSTS = [0, 5, 500_000, 500_000, 500_000, 1e12];
/** Of these a request states at most one, because they contradict each other. */
const ONE_OF = [
  ['peak', 'mean', 'first', 'sum', 'system_peak', 'quantile'],
  ['network', 'stored travel', 'travel with fallback'],
  ['one price', 'prices by location'],
  ['cost per minute', 'travel with fallback'],
];
/** With a network these have no meaning. */
const WITHOUT_NETWORK = [
  ...['cost per km', 'cost per minute', 'cost per move', 'stored travel', 'travel with fallback'],
  'stored priorities',
];

/** Whether no request with both is answered. */
function isExcluded(a: string, b: string): boolean {
  const isPair = (names: readonly string[]) => names.includes(a) && names.includes(b);
  const isNetwork = (name: string) => name === 'network' || name === 'forbidden moves';
  const [one, other] = isNetwork(a) ? [a, b] : [b, a];
  return (isNetwork(one) && WITHOUT_NETWORK.includes(other)) || ONE_OF.some(isPair);
}

test('every option goes with every other: random requests agree with trying every plan', {
  tags: 'slow',
}, async () => {
  const wrong: unknown[] = [];
  const together = new Map<string, Set<string>>();
  for (const seed of seeds(1, INSTANCES)) {
    const mixed = mixedInstance(seed, LARGEST_COSTS);
    const { request, locations, travel, previous, rules } = mixed;
    const stored = new Set(locations.map(({ id }) => id));
    if (checkRequest(request, stored, SETTINGS).length > 0) continue;
    const mayFail = request.constraints?.shortage !== 'serve_most';
    // Looking for reasons takes many solves.
    if (mayFail && seed % 20 > 0 && !byPriorityByTryingAll(request, locations, false, previous, travel))
      continue;
    const outcome = await optimize({ request, locations, settings: SETTINGS, travel, previous });
    const found = disagreement(mixed, outcome);
    if (found) wrong.push({ seed, rules, found });
    if (outcome.status === 'refused') continue;
    for (const rule of rules) together.set(rule, (together.get(rule) ?? new Set()).union(new Set(rules)));
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  if (!isFullDepth) return;
  const names = [...together.keys()].sort();
  const never = names.flatMap((a) =>
    names.filter((b) => a < b && !isExcluded(a, b) && !together.get(a)!.has(b)).map((b) => `${a}, ${b}`),
  );
  expect(never).toEqual([]);
  expect(names.length).toBeGreaterThan(30);
});
