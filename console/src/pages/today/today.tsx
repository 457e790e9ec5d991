import { useSignal } from '@preact/signals';
import { FleetError } from '../../api/client.ts';
import type { DecisionBody } from '../../api/decisions.ts';
import { zoneOf } from '../../city-time.ts';
import { addressOf } from '../../router.ts';
import { SERVICE } from '../../service.ts';
import { texts } from '../../texts.ts';
import { DecisionPage, type Shown } from '../../ui/decision-page.tsx';
import { Following } from '../../ui/following.tsx';
import { type Planning, usePlanning } from '../../ui/planning.ts';
import { Refused } from '../../ui/refused.tsx';
import { Running } from '../../ui/running.tsx';
import { Empty } from '../../ui/states.tsx';
import { Answer } from './answer.tsx';
import { figuresOf } from './figures.ts';
import { sentenceOf } from './sentence.ts';

const words = texts.today;

/** The plan for tomorrow: the newest decision, or the one that the address names. */
export default function Today() {
  return <DecisionPage mode="static" of={Planned} />;
}

function Planned({ decision, places, isLoading, onEnd }: Shown) {
  const planning = usePlanning();
  const command = `curl ${SERVICE}/api/v1/decisions -H 'content-type: application/json' -d '{}'`;
  const request = decision?.inputs?.request;
  const looksAhead = request?.mode === 'horizon';
  const figures = decision?.result?.data?.plan && !looksAhead ? figuresOf(decision) : undefined;
  const faults = decision?.result?.errors;
  const status = decision?.status;
  // A day takes the place of the hour that was planned from; who plans here looks first, and sends nobody.
  const { carry_out, ...again } = request ?? {};
  const { start_at, ...kept } = looksAhead ? ({} as DecisionBody) : again;
  const plan = (changed: DecisionBody) =>
    planning.start({ ...(!changed.start_date && start_at && { start_at }), ...kept, ...changed });
  return (
    <div class="page" aria-busy={isLoading}>
      <h1>{figures ? sentenceOf(figures) : faults ? words.refused : words.title}</h1>
      <Controls
        date={request?.start_date ?? figures?.startDate ?? ''}
        demand={request?.demand === 'upper' ? 'upper' : 'mean'}
        planning={planning}
        onPlan={plan}
      />
      {faults && !planning.isRunning.value && planning.fault.value === undefined && (
        <Refused error={new FleetError({ errors: faults })} asked={again} onPlan={planning.start} />
      )}
      {decision && (status === 'queued' || status === 'running') && (
        <Following jobId={decision.decision_id} ended={texts.ahead.ended} onEnd={onEnd} />
      )}
      {status === 'cancelled' && <p>{texts.ahead.cancelled}</p>}
      {looksAhead && (
        <p>
          {words.looksAhead}{' '}
          <a href={addressOf('ahead', { decision: decision?.decision_id })}>{words.toAhead}</a>
        </p>
      )}
      {figures && decision ? (
        <Answer decision={decision} figures={figures} zone={zoneOf(places)} onPlan={plan} />
      ) : (
        !decision && <Empty title={words.empty} advice={words.emptyAdvice} command={command} />
      )}
      {planning.fault.value !== undefined && (
        <div class="notice">
          <Refused error={planning.fault.value} asked={planning.asked.value} onPlan={planning.start} />
        </div>
      )}
    </div>
  );
}

type ControlsProps = {
  date: string;
  demand: 'mean' | 'upper';
  planning: Planning;
  onPlan: (changed: DecisionBody) => void;
};

function Controls({ date, demand, planning, onPlan }: ControlsProps) {
  const day = useSignal(date);
  const level = useSignal(demand);
  const submit = (event: Event) => {
    event.preventDefault();
    onPlan({ ...(day.value && { start_date: day.value }), demand: level.value });
  };
  return (
    <form class="controls" onSubmit={submit}>
      <label>
        {words.date}
        <input type="date" value={day.value} onInput={(e) => (day.value = e.currentTarget.value)} />
      </label>
      <label>
        {words.demand}
        <select
          value={level.value}
          onChange={(e) => (level.value = e.currentTarget.value as 'mean' | 'upper')}
        >
          <option value="mean">{words.mean}</option>
          <option value="upper">{words.upper}</option>
        </select>
      </label>
      <div class="start">
        {planning.isRunning.value ? (
          <Running progress={planning.progress.value} onCancel={planning.cancel} />
        ) : (
          <button type="submit" class="primary">
            {words.planAgain}
          </button>
        )}
      </div>
    </form>
  );
}
