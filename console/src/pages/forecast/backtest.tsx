import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../../announce.ts';
import { readBacktest, readDemand, readForecast } from '../../api/forecasts.ts';
import type { Progress } from '../../api/live.ts';
import type { Place } from '../../api/locations.ts';
import { runJob } from '../../api/run-job.ts';
import type { BacktestData, BacktestScore } from '../../api/types.ts';
import { HOUR_MS } from '../../city-time.ts';
import { chosenShare, dayInWords, percent } from '../../format.ts';
import { changeQuery, query } from '../../router.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../ui/load.ts';
import { Running } from '../../ui/running.tsx';
import { Failure } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ForecastChart } from './chart.tsx';
import { firstHour, seriesOf } from './series.ts';

const words = texts.forecast.backtest;
const WORST = 6;
/** Number of the worst forecasts, and of those before them. */
const MOST_STEPS = 72;
const DAY_MS = 24 * HOUR_MS;

type Props = { places: Place[]; step: number; horizonHours: number };

/** How wrong past forecasts were, by location: the answer to "how far can it be trusted?". */
export function Backtest({ places, step, horizonHours }: Props) {
  const jobId = query.value.get('backtest') ?? undefined;
  const progress = useSignal<Progress | undefined>(undefined);
  const isRunning = useSignal(false);
  const fault = useSignal<unknown>(undefined);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const { data, error } = useLoad(
    async (signal) => (jobId === undefined ? undefined : readBacktest(jobId, signal)),
    [jobId],
  );
  const start = async () => {
    const own = new AbortController();
    control.current = own;
    isRunning.value = true;
    progress.value = undefined;
    fault.value = undefined;
    try {
      const body = { horizon_hours: horizonHours, step_hours: step };
      const { metadata } = await runJob<BacktestData>('/api/v1/forecast/backtest', body, {
        signal: own.signal,
        onProgress: (latest) => {
          progress.value = latest;
        },
      });
      announce(words.announced);
      changeQuery({ backtest: metadata.job_id });
    } catch (failure) {
      if (!own.signal.aborted) fault.value = failure;
    } finally {
      isRunning.value = false;
    }
  };
  return (
    <section>
      <h2>{words.title}</h2>
      <div class="start">
        {isRunning.value ? (
          <Running progress={progress.value} onCancel={() => control.current?.abort()} />
        ) : (
          <button type="button" onClick={start}>
            {words.start(texts.forecast.steps[step])}
          </button>
        )}
      </div>
      {(fault.value ?? error) !== undefined && <Failure error={fault.value ?? error} />}
      {data && <Result data={data} places={places} />}
    </section>
  );
}

type Row = { place: Place; score: BacktestScore };

function Result({ data, places }: { data: BacktestData; places: Place[] }) {
  const { overall, start_dates: dates, confidence_levels: levels } = data;
  const rows: Row[] = places
    .flatMap((place) => {
      const score = data.locations[place.id];
      return score ? [{ place, score }] : [];
    })
    .toSorted((a, b) => (b.score.service.wape ?? 0) - (a.score.service.wape ?? 0));
  const share = (value: number | null) => (value === null ? '–' : percent(value));
  const columns: Column<Row>[] = [
    { name: texts.forecast.location, value: ({ place }) => place.name, cell: ({ place }) => place.name },
    {
      name: words.error,
      value: ({ score }) => score.service.wape ?? -1,
      cell: ({ score }) => share(score.service.wape),
      isNumber: true,
    },
    {
      name: words.lastWeek,
      value: ({ score }) => score.last_week.wape ?? -1,
      cell: ({ score }) => share(score.last_week.wape),
      isNumber: true,
    },
    {
      name: words.bias,
      value: ({ score }) => score.service.bias ?? 0,
      cell: ({ score }) => share(score.service.bias),
      isNumber: true,
    },
    ...levels.map((level, i) => ({
      name: words.holds(chosenShare(level)),
      value: ({ score }: Row) => score.coverage[i] ?? -1,
      cell: ({ score }: Row) => share(score.coverage[i] ?? null),
      isNumber: true,
    })),
  ];
  return (
    <>
      <p>
        {words.sentence(
          share(overall.service.wape),
          share(overall.last_week.wape),
          String(dates.length),
          dayInWords(dates[dates.length - 1], 'short'),
          dayInWords(dates[0], 'short'),
        )}
      </p>
      <div class="columns">
        <Table
          caption={words.caption}
          columns={columns}
          rows={rows}
          keyOf={({ place }) => String(place.id)}
          selected={query.value.get('location') ?? undefined}
          onSelect={(location) => changeQuery({ location })}
        />
        <Worst data={data} rows={rows.slice(0, WORST)} />
      </div>
    </>
  );
}

/** The newest of the tested forecasts, beside what came, for the locations with the largest errors. */
function Worst({ data, rows }: { data: BacktestData; rows: Row[] }) {
  const { start_dates: dates, step_hours: step, horizon_hours: hours, confidence_levels: levels } = data;
  const ids = rows.map(({ place }) => place.id);
  const confidence = levels[0];
  const loaded = useLoad(
    async (signal) => {
      const steps = Math.min(MOST_STEPS, Math.floor(hours / step));
      const forecast = await readForecast(
        {
          location_ids: ids,
          horizon_hours: steps * step,
          features: {
            start_date: dates[0],
            step_hours: step as 1,
            include_intervals: true,
            confidence_level: confidence,
          },
        },
        signal,
      );
      const begin = firstHour(dates[0]) * HOUR_MS;
      const observed = await Promise.all(
        ids.map((id) => readDemand(id, begin - DAY_MS, begin + steps * step * HOUR_MS + DAY_MS, signal)),
      );
      return { forecast, observed };
    },
    [ids.join(), dates[0], step, hours],
  );
  if (loaded.error !== undefined) return <Failure error={loaded.error} onRetry={loaded.reload} />;
  if (!loaded.data) return null;
  const { forecast, observed } = loaded.data;
  return (
    <div>
      <h3>{words.worst(dayInWords(dates[0], 'short'))}</h3>
      <div class="multiples">
        {rows.map(({ place, score }, i) => (
          <div key={place.id}>
            <p class="quiet">
              {place.name}, {score.service.wape === null ? '–' : percent(score.service.wape)}
            </p>
            <ForecastChart
              label={place.name}
              series={seriesOf(forecast, place.id, observed[i], place.time_zone, 0)}
              step={step}
              confidence={confidence}
              isSmall
            />
          </div>
        ))}
      </div>
    </div>
  );
}
