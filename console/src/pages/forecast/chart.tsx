import { useMemo } from 'preact/hooks';
import type { KnownEvent } from '../../api/types.ts';
import { Lines, type Mark } from '../../charts/lines.tsx';
import { localHour } from '../../city-time.ts';
import { chosenShare } from '../../format.ts';
import { texts } from '../../texts.ts';
import { firstHour, hourInWords, type Series } from './series.ts';

const words = texts.forecast;

type Props = {
  label: string;
  series: Series;
  step: number;
  confidence: number;
  marks?: Mark[];
  isSmall?: boolean;
};

/** History and forecast on one axis, with the interval as a band. */
export function ForecastChart({ label, series, step, confidence, marks, isSmall }: Props) {
  const lines = useMemo(() => {
    const edge = { colour: '--amount', isThin: true };
    return [
      // The band is drawn first: it would hide the lines.
      { name: words.upper(chosenShare(confidence)), values: series.upper, ...edge },
      { name: words.lower(chosenShare(confidence)), values: series.lower, ...edge },
      { name: words.expected, values: series.expected, colour: '--amount' },
      { name: words.observed, values: series.observed, colour: '--text' },
    ];
  }, [series, confidence]);
  return (
    <Lines
      label={label}
      xs={series.hours}
      writeX={(hour) => hourInWords(hour, step)}
      xName={step >= 24 ? words.day : words.hour}
      lines={lines}
      band={{ upper: 0, lower: 1 }}
      {...(marks && { marks })}
      {...(isSmall && { isSmall })}
      height={isSmall ? 120 : 300}
    />
  );
}

/** Holidays and events as stretches of the axis. */
export function marksOf(
  holidays: readonly { date: string; name: string }[],
  events: readonly KnownEvent[],
  timeZone: string | undefined,
): Mark[] {
  return [
    ...holidays.map(({ date, name }) => ({ from: firstHour(date), to: firstHour(date) + 24, name })),
    ...events.map(({ from, to, name, kind }) => ({
      from: localHour(Date.parse(from), timeZone),
      to: localHour(Date.parse(to), timeZone),
      name: name ?? kind,
    })),
  ];
}
