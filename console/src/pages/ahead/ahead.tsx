import { useMemo } from 'preact/hooks';
import { FleetError } from '../../api/client.ts';
import { type DecisionBody, isAhead, type StoredDecision, startHourOf } from '../../api/decisions.ts';
import type { Place } from '../../api/locations.ts';
import { HOUR_MS, zoneOf } from '../../city-time.ts';
import { SERVICE } from '../../service.ts';
import { texts } from '../../texts.ts';
import { Conflict } from '../../ui/conflict.tsx';
import { DecisionPage, type Shown } from '../../ui/decision-page.tsx';
import { Following } from '../../ui/following.tsx';
import { usePlanning } from '../../ui/planning.ts';
import { Refused } from '../../ui/refused.tsx';
import { withSettings } from '../../ui/settings.ts';
import { Empty } from '../../ui/states.tsx';
import { Controls, type Wanted } from './controls.tsx';
import { aheadOf } from './outlook.ts';
import { sentenceOf } from './sentence.ts';
import { Steps } from './steps.tsx';

const words = texts.ahead;
const DEFAULT_HOURS = 6;

/** The next hours: the newest decision that looks ahead, or the one that the address names. */
export default function AheadPage() {
  return <DecisionPage mode="horizon" of={Planned} />;
}

function Planned({ decision, places, isLoading, onEnd }: Shown) {
  const planning = usePlanning({ step: undefined, move: undefined });
  const zone = zoneOf(places);
  const request = decision?.inputs?.request;
  const ahead = useMemo(() => decision && readAhead(decision, places, zone), [decision]);
  const wanted = wantedOf(decision);
  // Neither where the other plan began, nor that it was carried out: this one is looked at first.
  const { start_at, start_date, carry_out, ...kept } = request ?? {};
  const plan = (changed: DecisionBody) => planning.start({ ...kept, mode: 'horizon', ...changed });
  const status = decision?.status;
  const shortfall = ahead?.answer.plan.shortfall;
  const begin = start_at !== undefined ? { start_at } : start_date !== undefined ? { start_date } : {};
  const before = (
    <>
      <h1>{ahead ? sentenceOf(ahead) : words.question}</h1>
      <Controls wanted={wanted} zone={zone} planning={planning} onPlan={plan} />
      {shortfall && (
        <Conflict
          shortfall={shortfall}
          onApply={(settings) => plan({ ...begin, ...withSettings(request ?? {}, settings) })}
        />
      )}
    </>
  );
  const after = planning.fault.value !== undefined && (
    <div class="notice">
      <Refused error={planning.fault.value} asked={planning.asked.value} onPlan={planning.start} />
    </div>
  );
  if (ahead && decision) {
    const { decision_id: id } = decision;
    return <Steps {...{ id, ahead, places, isLoading, before, after }} />;
  }
  return (
    <div class="page" aria-busy={isLoading}>
      {before}
      {!decision && <Nothing />}
      {decision && (status === 'queued' || status === 'running') && (
        <Following jobId={decision.decision_id} ended={words.ended} onEnd={onEnd} />
      )}
      {status === 'cancelled' && <p>{words.cancelled}</p>}
      {decision?.result?.errors && !planning.isRunning.value && planning.fault.value === undefined && (
        <Refused
          error={new FleetError({ errors: decision.result.errors })}
          asked={{ ...begin, ...kept }}
          onPlan={planning.start}
        />
      )}
      {decision?.result?.data && <p>{words.notAhead}</p>}
      {after}
    </div>
  );
}

function Nothing() {
  const body = `'{"mode": "horizon", "horizon_hours": ${DEFAULT_HOURS}}'`;
  const command = `curl ${SERVICE}/api/v1/decisions -H 'content-type: application/json' -d ${body}`;
  return <Empty title={words.empty} advice={texts.today.emptyAdvice} command={command} />;
}

function readAhead({ inputs, result }: StoredDecision, places: Place[], zone: string | undefined) {
  const answer = result?.data;
  if (!inputs || !isAhead(answer)) return undefined;
  const firstHour = Date.parse(`${answer.start_date}T00:00:00Z`) / HOUR_MS + startHourOf(answer);
  return aheadOf(answer, { stepHours: inputs.forecast.metadata.step_hours, firstHour }, places, zone);
}

/** The request of the shown decision. */
function wantedOf(decision: StoredDecision | undefined): Wanted {
  const request = decision?.inputs?.request;
  const answer = decision?.result?.data;
  const isHorizon = request?.mode === 'horizon';
  return {
    isNow: request?.start_at === 'now',
    date: answer?.start_date ?? request?.start_date ?? '',
    hour: answer ? startHourOf(answer) : 0,
    horizonHours: isHorizon ? (request.horizon_hours ?? 24) : DEFAULT_HOURS,
    stepHours: isHorizon ? (request.step_hours ?? 1) : 1,
    demand: request?.demand ?? 'mean',
  };
}
