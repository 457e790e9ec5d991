/** Random costs of unmet demand. */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { Random } from './instances.ts';

type Constraints = NonNullable<OptimizeRequest['constraints']>;

/** One price, or prices by location, of the order of what a move costs. */
export function randomPrice(
  random: Random,
  ids: readonly number[],
): NonNullable<Constraints['unmet_demand_cost']> {
  const largest = random.pick([1, 10, 30, 30, 100, 1e5]);
  const digits = random.pick([1, 1, 100, 1e4]);
  const price = () => random.integer(0, largest * digits) / digits;
  if (random.chance(0.4)) return price();
  return {
    ...(random.chance(0.5) && { default: price() }),
    ...Object.fromEntries(ids.filter(() => random.chance(0.7)).map((id) => [id, price()])),
  };
}
