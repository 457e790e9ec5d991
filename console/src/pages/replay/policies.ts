import type { Replay, ReplayRequest } from '../../api/types.ts';
import { texts } from '../../texts.ts';

type Policy = Pick<Replay['policies'][number], 'name' | 'mode' | 'demand' | 'objective'>;

/** The policies that a replay can be started with, by their default names. */
export const CHOICES: Record<string, ReplayRequest['policies'][number]> = {
  none: { mode: 'none' },
  nightly: { mode: 'nightly' },
  static: { mode: 'static' },
  'horizon-6': { mode: 'horizon' },
  'horizon-6-observed': { mode: 'horizon', demand: 'observed' },
};

/** The name of a policy: in words, or as others have chosen it. */
export const titleOf = (name: string): string => texts.replay.policies[name] ?? name;

/** The policy that the others are compared with: no moves, or else the worst. */
export function baselineOf<P extends Policy>(policies: readonly P[]): P {
  return policies.find(({ mode }) => mode === 'none') ?? byObjective(policies)[policies.length - 1];
}

/** The cheapest policy that anybody could have followed: none that knows what comes, if there are others. */
export function bestOf<P extends Policy>(policies: readonly P[]): P {
  const possible = policies.filter(({ demand }) => demand !== 'observed');
  return byObjective(possible.length > 0 ? possible : policies)[0];
}

function byObjective<P extends Policy>(policies: readonly P[]): P[] {
  return policies.toSorted((a, b) => a.objective - b.objective);
}
