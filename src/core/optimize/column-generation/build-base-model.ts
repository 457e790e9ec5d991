/** Which form a problem's base model has, and its size. */
import { costScaleOf } from '../highs/cost-scale.ts';
import type { Problem } from '../problem/model.ts';
import { dearestMove } from '../problem/network.ts';
import { dearestLoad, hasUnmetCost } from '../problem/unmet-cost.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import type { BaseModel } from './base-model.ts';
import { createClassesBase } from './classes.ts';
import { type ClassesSize, classesSize } from './classes-layout.ts';
import { createSingleClassBase } from './single-class.ts';

export function createBaseModel(problem: Problem): BaseModel {
  const base = isSingleClass(problem)
    ? createSingleClassBase(problem)
    : createClassesBase(problem, hasLocationBounds(problem));
  base.model.costScale = costScaleOf(Math.max(dearestMove(problem.network), dearestLoad(problem)));
  return base;
}

/** The size of the form whose size grows with the number of capacities. */
export function baseSize(problem: Problem): ClassesSize {
  return classesSize(problem, hasLocationBounds(problem));
}

function isSingleClass(problem: Problem): boolean {
  return problem.capacities.length === 1 && !hasLocationBounds(problem) && !hasUnmetCost(problem);
}
