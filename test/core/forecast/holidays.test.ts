import { describe, expect, test } from 'vitest';
import { hoursToSunday, withoutEffects } from '../../../src/core/forecast/apply-effects.ts';
import { NO_EFFECTS } from '../../../src/core/forecast/effects.ts';
import { forecast, forecastMany } from '../../../src/core/forecast/forecast.ts';
import { localHistory } from '../../../src/core/forecast/local-series.ts';
import { localDate, localMidnight } from '../../../src/core/forecast/local-time.ts';
import { likeness, specialDays, weekdayOf } from '../../../src/core/forecast/special-days.ts';
import type {
  DemandSeries,
  ForecastOptions,
  Holiday,
  LocationForecast,
} from '../../../src/core/forecast/types.ts';
import {
  hoursOf,
  loadNyc,
  MONDAY,
  normal,
  seededRandom,
  seriesOf,
  sum,
  utcHour,
  weeklyShape,
} from './samples.ts';

const HOURLY: ForecastOptions = { horizonHours: 168, stepHours: 1, confidenceLevel: null };

/** Working days have 100 with a rush at 8, weekends 40: `share` of a holiday's hour is Sunday's. */
const usual = (hour: number): number => (hour % 168 >= 120 ? 40 : hour % 24 === 8 ? 150 : 100);
const withHolidays = (weeks: number, holidays: readonly number[], share: number) => {
  const random = seededRandom(4);
  return hoursOf(weeks, (hour) => {
    const demand = holidays.includes(Math.floor(hour / 24))
      ? (1 - share) * usual(hour) + share * 40
      : usual(hour);
    return demand * Math.exp(0.02 * normal(random));
  });
};
/** A holiday on a day after `MONDAY`. */
const dayOf = (day: number, name = 'a holiday'): Holiday => ({ date: localDate(MONDAY + 24 * day), name });
const named = (dates: readonly string[]): Holiday[] => dates.map((date) => ({ date, name: 'a holiday' }));

const forecastOf = (values: Float64Array, options: Partial<ForecastOptions> = {}): Float64Array => {
  const result = forecast(seriesOf(values), { ...HOURLY, ...options });
  return (result as LocationForecast).values;
};

describe('days', () => {
  test('are special around a holiday: three before, one after, and the weekend that it makes long', () => {
    const offsets = (date: string) =>
      [...specialDays(named([date]))]
        .map(([day, { offset, role }]) => `${offset} ${role} ${'SMTWTFS'[weekdayOf(day)]}`)
        .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    expect(offsets('2024-05-27')).toEqual(['-3 near F', '-2 near S', '-1 near S', '0 off M', '1 near T']);
    expect(offsets('2024-11-28')).toEqual([
      '-3 near M',
      '-2 near T',
      '-1 near W',
      '0 off T',
      '1 between F',
      '2 near S',
      '3 near S',
    ]);
    expect(offsets('2024-07-05').at(-1)).toBe('2 near S');
    expect(offsets('2024-01-02')).toContain('-1 between M');
  });

  test('between Christmas and New Year are special, the same day of the season every year', () => {
    const seasons = specialDays([
      { date: '2023-12-25', name: 'Christmas' },
      { date: '2024-01-01', name: 'New Year' },
      { date: '2024-12-25', name: 'Christmas' },
      { date: '2025-01-01', name: 'New Year' },
    ]);
    const at = (date: string) => seasons.get(localMidnight(date)! / 24)!;
    for (const day of ['26', '27', '28', '29', '30', '31']) {
      expect(at(`2023-12-${day}`)).toEqual({
        role: 'between',
        name: 'Christmas',
        offset: Number(day) - 25,
        kind: 'season',
      });
      expect(likeness(at(`2023-12-${day}`), at(`2024-12-${day}`))).toBe(1);
    }
    expect(at('2024-12-22').offset).toBe(-3);
    expect(at('2025-01-02').offset).toBe(1);
    expect(seasons.has(localMidnight('2025-01-03')! / 24)).toBe(false);
  });

  test('are alike by slot, kind and name, and a wrong date is a RangeError', () => {
    const days = specialDays([dayOf(0, 'A'), dayOf(28, 'B'), dayOf(364, 'A'), dayOf(58, 'C')]);
    const at = (day: number) => days.get(MONDAY / 24 + day)!;
    const order = [
      likeness(at(364), at(0)),
      likeness(at(364), at(28)),
      likeness(at(364), at(58)),
      likeness(at(364), at(27)),
    ];
    expect(order).toEqual(order.toSorted((a, b) => b - a));
    expect(new Set(order).size).toBe(4);
    expect(() => forecast(seriesOf([1]), { ...HOURLY, holidays: named(['2024-02-30']) })).toThrow(RangeError);
  });

  test('the Sunday that follows is at most six days ahead', () => {
    for (let day = -20; day < 20; day++) {
      const at = MONDAY + 24 * day + 7;
      const ahead = hoursToSunday(at);
      expect(ahead % 24).toBe(0);
      expect(ahead).toBeLessThan(168);
      expect(new Date((at + ahead) * 3_600_000).getUTCDay()).toBe(0);
    }
  });

  test('in the history are missing, unless nothing else is there', () => {
    const history = localHistory(seriesOf(new Float64Array(48).fill(3)), MONDAY + 48)!;
    const isHeld = (hour: number) => hour >= MONDAY + 24;
    expect([...withoutEffects(history, { ...NO_EFFECTS, isHeld }).subarray(22, 26)]).toEqual([
      3,
      3,
      NaN,
      NaN,
    ]);
    expect(withoutEffects(history, { ...NO_EFFECTS, isHeld: () => true })).toBe(history.values);
  });
});

describe('the learned effect', () => {
  // Two Wednesday holidays in the past, and one ahead on the second day.
  const past = [16, 44];
  const holidays = [...past, 71].map((day) => dayOf(day));

  test.each([
    [1, 40, 40],
    [0.5, 70, 95],
    [0, 100, 150],
  ])('a holiday that was %f of a Sunday is forecast as one', (share, midday, rush) => {
    const values = forecastOf(withHolidays(10, past, share), { holidays });
    const holiday = values.subarray(24, 48);
    expect(Math.abs(holiday[12] / midday - 1)).toBeLessThan(0.12);
    expect(Math.abs(holiday[8] / rush - 1)).toBeLessThan(0.12);
  });

  test('other days are forecast as if there had been no holiday', () => {
    const clean = forecastOf(withHolidays(10, [], 0));
    const values = forecastOf(withHolidays(10, [...past, 65], 1), { holidays: [...holidays, dayOf(65)] });
    values.forEach((value, hour) => {
      if (Math.floor(hour / 24) !== 1) expect(Math.abs(value / clean[hour] - 1)).toBeLessThan(0.1);
    });
  });

  test('a first holiday is taken for half a Sunday, and on a Sunday nothing changes', () => {
    const series = withHolidays(10, [], 0);
    const none = forecastOf(series);
    const first = forecastOf(series, { holidays: [dayOf(71)] });
    expect(first[36]).toBeGreaterThan(50);
    expect(first[36]).toBeLessThan(80);
    expect(forecastOf(series, { holidays: [dayOf(76)] })).toEqual(none);
  });

  test('a holiday on the last day of the horizon finds its Sunday beyond it', () => {
    const options = { holidays, horizonHours: 48 };
    const short = forecastOf(withHolidays(10, past, 1), options);
    expect(Math.abs(short[36] / 40 - 1)).toBeLessThan(0.15);
  });

  test('a history of holidays only, or too short for a Sunday, is forecast all the same', () => {
    for (const hours of [5, 30, 48]) {
      const values = new Float64Array(hours).fill(9);
      const days = ['2024-01-01', '2024-01-02', '2024-01-03', '2024-01-04'];
      for (const value of forecastOf(values, { holidays: named(days) })) expect(value).toBeCloseTo(9, 6);
    }
  });
});

test('in New York the federal holidays halve the error of Presidents’ Day and calm the weeks after', {
  tags: 'slow',
}, () => {
  const series = loadNyc();
  const federal = ['2017-01-01', '2017-01-02', '2017-01-16', '2017-02-20'];
  const wape = (startDate: string, days: [number, number], dates: string[]): number => {
    const start = localMidnight(startDate)!;
    const options = {
      startDate,
      horizonHours: 168,
      stepHours: 1,
      confidenceLevel: null,
      holidays: named(dates),
    };
    let error = 0;
    let demand = 0;
    forecastMany(series, options).results.forEach((result, i) => {
      const { startHour, values } = series[i];
      for (let hour = 24 * days[0]; hour < 24 * days[1]; hour++) {
        const actual = values[start + hour + 5 - startHour];
        error += Math.abs((result as LocationForecast).values[hour] - actual);
        demand += actual;
      }
    });
    return error / demand;
  };
  const ratio = (startDate: string, days: [number, number]) =>
    wape(startDate, days, federal) / wape(startDate, days, []);
  expect(ratio('2017-02-18', [2, 3])).toBeLessThan(0.65);
  expect(ratio('2017-02-25', [2, 3])).toBeLessThan(0.85);
});

describe('days around holidays', () => {
  /**
   * Ten weeks from the first of November. From the 22nd of December to the 2nd of January the locations have 40 % less.
   */
  const start = utcHour('2023-11-01');
  const isSeason = (hour: number): boolean => {
    const day = localDate(start + hour);
    return day >= '2023-12-22' && day <= '2024-01-02';
  };
  const holidays = [
    { date: '2023-12-25', name: 'Christmas Day' },
    { date: '2024-01-01', name: "New Year's Day" },
  ];
  const place = (locationId: number, from: string, factor = 0.6): DemandSeries => {
    const random = seededRandom(locationId);
    const startHour = utcHour(from);
    const hours = utcHour('2024-01-03') - startHour;
    const values = Float64Array.from({ length: hours }, (_, h) => {
      const hour = h + startHour - start;
      // 1 November 2023 is a Wednesday.
      return weeklyShape(hour + 48, 50) * (isSeason(hour) ? factor : 1) * Math.exp(0.05 * normal(random));
    });
    return { locationId, timeZone: 'UTC', startHour, values };
  };
  const options = {
    startDate: '2024-01-03',
    horizonHours: 168,
    stepHours: 24,
    confidenceLevel: null,
    holidays,
  };
  const errorOf = ({ values }: LocationForecast): number => {
    const usual = Array.from({ length: 7 }, (_, day) =>
      sum(Array.from({ length: 24 }, (_, hour) => weeklyShape(24 * (2 + day) + hour, 50))),
    );
    return sum(usual.map((demand, day) => Math.abs(values[day] - demand))) / sum(usual);
  };

  test('are learned where nights have no rows', () => {
    const series = [1, 2, 3].map((id) => {
      const one = place(id, '2023-11-01', 1.6);
      return { ...one, values: one.values.map((value, t) => (t % 24 < 6 ? NaN : value)) };
    });
    const ask = { ...options, holidays: [...holidays, { date: '2024-01-08', name: "New Year's Day" }] };
    // The holidays of the season had more demand than other days; this Monday is the sixth day.
    for (const result of forecastMany(series, ask).results) {
      const { values } = result as LocationForecast;
      expect(values[5] / values[6]).toBeGreaterThan(1.2);
    }
    const unknown = series.map((one) => ({ ...one, values: one.values.subarray(7 * 168) }));
    expect(forecastMany(unknown, ask).results.every(({ status }) => status === 'ok')).toBe(true);
  });

  test('do not tint the week after a season', () => {
    const series = [1, 2, 3].map((id) => place(id, '2023-11-01'));
    for (const result of forecastMany(series, options).results) {
      expect(errorOf(result as LocationForecast)).toBeLessThan(0.08);
    }
    for (const result of forecastMany(series, { ...options, holidays: [] }).results) {
      expect(errorOf(result as LocationForecast)).toBeGreaterThan(0.15);
    }
  });

  test('are all that a place has which opened before Christmas, and tell what is usual there', () => {
    const series = [1, 2, 3].map((id) => place(id, '2023-11-01'));
    const [young] = forecastMany([place(4, '2023-12-19'), ...series], options).results;
    // Without them only Tuesday to Thursday would remain, with an error of 21 %; unchanged they give 36 %.
    expect(errorOf(young as LocationForecast)).toBeLessThan(0.15);
  });

  test('that were observed wrongly once, at one place, are forecast as before at the others, and within a third there', () => {
    const series = [1, 2, 3].map((id) => place(id, '2023-11-01'));
    const dirty = series.map((one, i) => ({
      ...one,
      values: one.values.map((value, t) =>
        i === 0 && one.startHour + t === utcHour('2023-12-25T12:00') ? 1e9 : value,
      ),
    }));
    const ask = { ...options, holidays: [...holidays, { date: '2024-01-08', name: 'another' }] };
    const clean = forecastMany(series, ask).results as LocationForecast[];
    (forecastMany(dirty, ask).results as LocationForecast[]).forEach(({ values }, i) => {
      values.forEach((value, day) => {
        expect(Math.abs(value / clean[i].values[day] - 1)).toBeLessThan(i === 0 ? 0.33 : 0.01);
      });
    });
  });
});
