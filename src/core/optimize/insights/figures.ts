/** The common result of all ways to explain a plan, before it becomes the answer's insights. */
import {
  type BindingConstraint,
  LOCATION_FIGURES,
  type LocationInsight,
  type MoveInsight,
} from '../../../contracts/optimize.ts';
import type { Problem, Solution } from '../problem/model.ts';
import { countRequestLocations } from '../problem/pinned-places.ts';
import { emptyMove, groupMoves } from './move-figures.ts';

export type Figures = {
  locations: LocationInsight[];
  moves: MoveInsight[];
  binding: BindingConstraint[];
  exact: boolean;
  complete: boolean;
};

/** Nothing found yet. */
export function emptyFigures(problem: Problem, solution: Solution): Figures {
  const locations = problem.locationIds.subarray(0, countRequestLocations(problem));
  return {
    locations: Array.from(locations, (location_id) => ({
      location_id,
      one_more_saves: null,
      one_fewer_costs: null,
      more_demand_costs: null,
      error_at_most: null,
      not_known: [...LOCATION_FIGURES],
    })),
    moves: groupMoves(problem, solution.moves).map((group) => emptyMove(problem, group)),
    binding: [],
    exact: false,
    complete: false,
  };
}
