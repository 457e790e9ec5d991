import { useMemo } from 'preact/hooks';
import { readDemand, readForecast } from '../../api/forecasts.ts';
import { loadLocations, type Place } from '../../api/locations.ts';
import type { ForecastData } from '../../api/types.ts';
import { HOUR_MS } from '../../city-time.ts';
import { chosenShare, count, dayInWords, momentIn, percent } from '../../format.ts';
import { changeQuery, query } from '../../router.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../ui/load.ts';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Backtest } from './backtest.tsx';
import { ForecastChart, marksOf } from './chart.tsx';
import { firstHour, hourInWords, type Series, seriesOf } from './series.ts';

const words = texts.forecast;
const STEPS = [1, 3, 6, 12, 24];
const DAYS = [1, 2, 7, 14, 28];
const LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99];
/** Days of history before the forecast: what the eye needs to compare it with. */
const HISTORY_DAYS = 14;
const DAY_HOURS = 24;

/** The values that the address asks for. */
function askedFor() {
  const asked = query.value;
  const oneOf = (name: string, values: number[], usual: number) => {
    const value = Number(asked.get(name));
    return values.includes(value) ? value : usual;
  };
  return {
    location: asked.get('location') ?? undefined,
    date: asked.get('date') ?? undefined,
    step: oneOf('step', STEPS, 1),
    days: oneOf('days', DAYS, 7),
    confidence: oneOf('confidence', LEVELS, 0.8),
  };
}

/** How much demand comes to a location, and how far the forecast can be trusted. */
export default function Forecast() {
  const { location, date, step, days, confidence } = askedFor();
  const { data, error, isLoading, reload } = useLoad(
    async (signal) => {
      const places = await loadLocations();
      if (places.length === 0) return { places };
      const place = places.find(({ id }) => String(id) === location) ?? places[0];
      const forecast = await readForecast(
        {
          location_ids: [place.id],
          horizon_hours: days * DAY_HOURS,
          features: {
            ...(date && { start_date: date }),
            step_hours: step as 1,
            include_intervals: true,
            confidence_level: confidence,
          },
        },
        signal,
      );
      // A day more on both sides: the clock of the place may be ahead of UTC, or behind.
      const begin = firstHour(forecast.metadata.start_date) * HOUR_MS;
      const day = DAY_HOURS * HOUR_MS;
      const from = begin - (HISTORY_DAYS + 1) * day;
      const observations = await readDemand(place.id, from, begin + (days + 1) * day, signal);
      const steps = (HISTORY_DAYS * DAY_HOURS) / step;
      const series = seriesOf(forecast, place.id, observations, place.time_zone, steps);
      return { places, found: { place, forecast, series, confidence } };
    },
    [location, date, step, days, confidence],
  );
  if (!data) return error === undefined ? <Loading /> : <Failure error={error} onRetry={reload} />;
  if (data.places.length === 0) {
    return <Empty title={texts.today.noLocations} advice={texts.today.noLocationsAdvice} />;
  }
  return (
    <div class="page" aria-busy={isLoading}>
      <h1>{data.found ? sentenceOf(data.found) : words.title}</h1>
      <Controls places={data.places} place={data.found?.place} forecast={data.found?.forecast} />
      {location && data.found && String(data.found.place.id) !== location && !isLoading && (
        <p>{texts.unknownPlace(location, data.found.place.name)}</p>
      )}
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {data.found && <Answer {...data.found} />}
      <Backtest places={data.places} step={step} horizonHours={days * DAY_HOURS} />
    </div>
  );
}

type Found = { place: Place; forecast: ForecastData; series: Series; confidence: number };

function sentenceOf({ place, forecast, confidence }: Found): string {
  const values = forecast.forecasts[place.id];
  const { step_hours: step, start_date: startDate, backtest_wape: errors } = forecast.metadata;
  const busiest = values.indexOf(Math.max(...values));
  const interval = forecast.intervals?.[place.id];
  const total = values.reduce((sum, value) => sum + value, 0);
  const error = errors[place.id];
  return words.sentence({
    place: place.name,
    trips: count(total),
    day: dayInWords(startDate),
    days: (values.length * step) / DAY_HOURS,
    busiest: hourInWords(firstHour(startDate) + busiest * step, step),
    most: count(values[busiest]),
    range: interval ? `${count(interval.lower[busiest])}–${count(interval.upper[busiest])}` : undefined,
    level: chosenShare(confidence),
    error: error === null ? undefined : percent(error),
  });
}

function Answer({ place, forecast, series, confidence }: Found) {
  const { holidays = [], events = [], notes = {}, step_hours: step } = forecast.metadata;
  const zone = place.time_zone ?? 'UTC';
  const marks = useMemo(() => marksOf(holidays, events, place.time_zone), [forecast]);
  const { level_shift: shift, newest_observation: newest, absent_rows: absent } = notes[place.id] ?? {};
  return (
    <section>
      <h2>{words.chart}</h2>
      <ForecastChart
        label={words.chartLabel(place.name)}
        series={series}
        step={step}
        confidence={confidence}
        marks={marks}
      />
      <p class="quiet">{words.zone(zone)}</p>
      <ul class="plain">
        {holidays.map(({ date, name }) => (
          <li key={date + name}>
            {dayInWords(date, 'short')}: {name}
          </li>
        ))}
        {events.map(({ event_id, name, kind, from, to }) => (
          <li key={event_id}>{words.event(name ?? kind, momentIn(zone, from), momentIn(zone, to))}</li>
        ))}
        {newest && <li>{words.newest(dayInWords(newest, 'short'))}</li>}
        {shift && (
          <li>
            {words.shift(
              dayInWords(shift.date, 'short'),
              shift.factor === null ? undefined : percent(shift.factor),
            )}
          </li>
        )}
        {absent && <li>{words.absent(percent(absent.share))}</li>}
      </ul>
    </section>
  );
}

type ControlsProps = { places: Place[]; place: Place | undefined; forecast: ForecastData | undefined };

function Controls({ places, place, forecast }: ControlsProps) {
  const { date, step, days, confidence } = askedFor();
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <label>
        {words.location}
        <select value={place?.id} onChange={(event) => changeQuery({ location: event.currentTarget.value })}>
          {places
            .toSorted((a, b) => a.name.localeCompare(b.name))
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </select>
      </label>
      <label>
        {words.date}
        <input
          type="date"
          value={date ?? forecast?.metadata.start_date ?? ''}
          onChange={(event) => changeQuery({ date: event.currentTarget.value })}
        />
      </label>
      <Choice name="days" values={DAYS} value={days} write={words.daysLong} />
      <Choice name="step" values={STEPS} value={step} write={(hours) => words.steps[hours]} />
      <Choice name="confidence" values={LEVELS} value={confidence} write={chosenShare} />
    </form>
  );
}

type ChoiceProps = {
  name: 'days' | 'step' | 'confidence';
  values: number[];
  value: number;
  write: (value: number) => string;
};

function Choice({ name, values, value, write }: ChoiceProps) {
  return (
    <label>
      {words.choices[name]}
      <select value={value} onChange={(event) => changeQuery({ [name]: event.currentTarget.value })}>
        {values.map((each) => (
          <option key={each} value={each}>
            {write(each)}
          </option>
        ))}
      </select>
    </label>
  );
}
