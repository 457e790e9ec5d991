import { FleetError } from '../api/client.ts';
import type { DecisionBody } from '../api/decisions.ts';
import { Conflict } from './conflict.tsx';
import { withSettings } from './settings.ts';
import { Failure } from './states.tsx';

type RefusedProps = { error: unknown; asked: DecisionBody; onPlan: (body: DecisionBody) => void };

/** Why there is no plan. If constraints are in conflict, each relaxation plans the same again with it. */
export function Refused({ error, asked, onPlan }: RefusedProps) {
  if (!(error instanceof FleetError && error.code === 'INFEASIBLE_PROBLEM')) return <Failure error={error} />;
  return (
    <Conflict
      faults={error.details}
      onApply={(settings) => onPlan({ ...asked, ...withSettings(asked, settings) })}
    />
  );
}
