/** What every way of explaining a plan gives, before it becomes the answer's insights. */
import type { BindingConstraint, LocationInsight, MoveInsight } from '../../../contracts/optimize.ts';

export type Figures = {
  locations: LocationInsight[];
  moves: MoveInsight[];
  binding: BindingConstraint[];
  exact: boolean;
  complete: boolean;
};
