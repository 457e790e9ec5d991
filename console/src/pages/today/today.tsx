import { useSignal } from '@preact/signals';
import { FleetError } from '../../api/client.ts';
import { type DecisionBody, newestDecision, readDecision, type StoredDecision } from '../../api/decisions.ts';
import { loadLocations } from '../../api/locations.ts';
import { zoneOf } from '../../city-time.ts';
import { addressOf, query } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Following } from '../../ui/following.tsx';
import { useLoad } from '../../ui/load.ts';
import { type Planning, usePlanning } from '../../ui/planning.ts';
import { Refused } from '../../ui/refused.tsx';
import { Running } from '../../ui/running.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Answer } from './answer.tsx';
import { figuresOf } from './figures.ts';
import { sentenceOf } from './sentence.ts';

const words = texts.today;

/** What tomorrow needs: the newest decision, or the one that the address names. */
export default function Today() {
  const wanted = query.value.get('decision') ?? undefined;
  const { data, error, isLoading, reload } = useLoad(
    async (signal) => {
      const [decision, places] = await Promise.all([
        wanted ? readDecision(wanted, signal) : newestDecision(signal, 'static'),
        loadLocations(),
      ]);
      return { decision, places };
    },
    [wanted],
  );
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  if (data.places.length === 0) {
    const url = `${window.location.origin}/api/v1/data/locations`;
    const command = `curl -X PUT ${url} -H 'content-type: text/csv' --data-binary @locations.csv`;
    return <Empty title={words.noLocations} advice={words.noLocationsAdvice} command={command} />;
  }
  return (
    <Planned
      key={`${data.decision?.decision_id} ${data.decision?.status}`}
      decision={data.decision}
      zone={zoneOf(data.places)}
      isLoading={isLoading}
      onEnd={reload}
    />
  );
}

type Props = {
  decision: StoredDecision | undefined;
  zone: string | undefined;
  isLoading: boolean;
  onEnd: () => void;
};

function Planned({ decision, zone, isLoading, onEnd }: Props) {
  const planning = usePlanning();
  const command = `curl ${window.location.origin}/api/v1/decisions -H 'content-type: application/json' -d '{}'`;
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
      {planning.fault.value !== undefined ? (
        <Refused error={planning.fault.value} asked={planning.asked.value} onPlan={planning.start} />
      ) : (
        faults &&
        !planning.isRunning.value && (
          <Refused error={new FleetError({ errors: faults })} asked={again} onPlan={planning.start} />
        )
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
        <Answer decision={decision} figures={figures} zone={zone} onPlan={plan} />
      ) : (
        !decision && <Empty title={words.empty} advice={words.emptyAdvice} command={command} />
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
      {planning.isRunning.value ? (
        <Running progress={planning.progress.value} onCancel={planning.cancel} />
      ) : (
        <button type="submit" class="primary">
          {words.planAgain}
        </button>
      )}
    </form>
  );
}
