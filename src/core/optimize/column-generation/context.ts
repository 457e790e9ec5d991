import type { SolverModel } from '../highs/highs.ts';
import type { Incumbent } from '../problem/incumbent.ts';
import type { Problem } from '../problem/model.ts';
import type { BaseModel } from './base-model.ts';
import type { Master } from './master.ts';

/** `unproved`: neither a proof nor the end of the time; the direct formulation has to decide. */
export type Searched = 'done' | 'stopped' | 'infeasible' | 'unproved';

/** State that the steps of one search share. */
export type Context = {
  problem: Problem;
  base: BaseModel;
  master: Master;
  model: SolverModel;
  incumbent: Incumbent;
};
