import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { announce } from '../../announce.ts';
import { type PlanAnswer, type StoredDecision, startHourOf, totalsByStep } from '../../api/decisions.ts';
import type { Progress } from '../../api/live.ts';
import type { Move } from '../../api/moves.ts';
import { runJob } from '../../api/run-job.ts';
import type { Insights } from '../../api/types.ts';
import { Lines } from '../../charts/lines.tsx';
import { clock, count, decimal } from '../../format.ts';
import type { Scene, Spot } from '../../map/scene.ts';
import { texts } from '../../texts.ts';
import { Running } from '../../ui/running.tsx';
import { Failure } from '../../ui/states.tsx';
import { type Changes, looksAhead, requestOf } from './what-if.ts';

const words = texts.map.location;

type Props = {
  spot: Spot;
  moves: Move[];
  scene: Scene;
  decision: StoredDecision | undefined;
  /** The decision, if it can be planned again and explained. */
  again: StoredDecision | undefined;
  sliders: Changes;
  zone: string | undefined;
};

/** Everything about the location that is pinned. */
export function LocationPanel({ spot, moves, decision, again, sliders, zone }: Props) {
  const sum = (some: Move[]) => some.reduce((total, { vehicles }) => total + vehicles, 0);
  const arriving = sum(moves.filter(({ to }) => to === spot.id));
  const leaving = sum(moves.filter(({ from }) => from === spot.id));
  const unmet = Math.max(0, spot.demand - spot.after);
  return (
    <section class="location" aria-label={spot.name}>
      <h2>{spot.name}</h2>
      <p>{words.sentence(count(spot.demand), count(spot.before), count(spot.after))}</p>
      <p>
        {unmet >= 0.5 ? words.short(count(unmet)) : words.served}{' '}
        {words.moves(count(arriving), count(leaving))}
      </p>
      {decision?.inputs && <LocationForecast key={spot.id} id={spot.id} decision={decision} />}
      {again && <OneMore id={spot.id} decision={again} sliders={sliders} zone={zone} />}
    </section>
  );
}

function LocationForecast({ id, decision }: { id: number; decision: StoredDecision }) {
  const { forecast } = decision.inputs!;
  const values = forecast.forecasts[id];
  const interval = forecast.intervals?.[id];
  const step = forecast.metadata.step_hours;
  const start = decision.result?.data ? startHourOf(decision.result.data) : 0;
  const xs = useMemo(() => (values ?? []).map((_, i) => start + i * step), [values]);
  const lines = useMemo(() => {
    const expected = { name: words.expected, values: values ?? [], colour: '--amount', isBars: true };
    if (!interval) return [expected];
    const edge = { colour: '--quiet', isDashed: true };
    return [
      expected,
      { name: words.upper, values: interval.upper, ...edge },
      { name: words.lower, values: interval.lower, ...edge },
    ];
  }, [values, interval]);
  if (!values) return null;
  const busiest = totalsByStep(forecast.forecasts);
  const hour = busiest.indexOf(Math.max(...busiest)) * step + start;
  return (
    <>
      <p class="quiet">{looksAhead(decision) ? words.forecastAhead : words.forecast(clock(hour))}</p>
      <Lines
        label={words.forecastLabel}
        xs={xs}
        writeX={clock}
        xName={texts.today.hour}
        lines={lines}
        height={150}
      />
    </>
  );
}

type OneMoreProps = Pick<Props, 'sliders' | 'zone'> & { id: number; decision: StoredDecision };

/** The worth of one more vehicle here. The service solves changed problems for it, so it is asked on request. */
function OneMore({ id, decision, sliders, zone }: OneMoreProps) {
  const insights = useSignal<Insights | undefined>(undefined);
  const isRunning = useSignal(false);
  const progress = useSignal<Progress | undefined>(undefined);
  const fault = useSignal<unknown>(undefined);
  const control = useRef<AbortController>(undefined);
  const key = JSON.stringify(sliders);
  useEffect(() => {
    insights.value = undefined;
    fault.value = undefined;
    isRunning.value = false;
    return () => control.current?.abort();
  }, [key]);
  const ask = async () => {
    const own = new AbortController();
    control.current = own;
    isRunning.value = true;
    progress.value = undefined;
    fault.value = undefined;
    try {
      const body = requestOf(decision, sliders, zone, { explain: true });
      const { data } = await runJob<PlanAnswer & { insights: Insights }>('/api/v1/optimize', body, {
        signal: own.signal,
        onProgress(latest) {
          if (!own.signal.aborted) progress.value = latest;
        },
      });
      if (!own.signal.aborted) insights.value = data.insights;
    } catch (error) {
      if (!own.signal.aborted) fault.value = error;
    } finally {
      if (control.current === own) isRunning.value = false;
    }
  };
  const cancel = () => {
    control.current?.abort();
    isRunning.value = false;
    announce(texts.today.cancelled);
  };
  if (fault.value !== undefined) return <Failure error={fault.value} onRetry={ask} />;
  const own = insights.value?.locations.find(({ location_id }) => location_id === id);
  const saves = own?.one_more_saves ?? null;
  const error = own?.error_at_most ?? 0;
  return (
    <div class="start">
      {isRunning.value ? (
        <Running progress={progress.value} onCancel={cancel} />
      ) : !insights.value ? (
        <button type="button" onClick={ask}>
          {words.ask}
        </button>
      ) : (
        <p>
          {saves === null
            ? words.worthUnknown
            : words.worth(decimal(saves), error > 0 ? decimal(error) : undefined)}
        </p>
      )}
    </div>
  );
}
