import { optimizeCached as optimize } from './cached.ts';
import { cityInstance, SETTINGS } from './instances.ts';

/**
 * Solves an integer programme, which starts the solver's thread. On a busy machine that takes as long as insights may.
 */
export async function startSolverThread(): Promise<void> {
  const size = { locations: 6, perLocation: 3, fractional: true, capacities: [1, 2, 4] };
  const { request, locations } = cityInstance(1, size);
  await optimize({ request: { ...request, options: { optimality_gap: 0 } }, locations, settings: SETTINGS });
}
