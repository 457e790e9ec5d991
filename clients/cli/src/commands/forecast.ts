import type { Command } from 'commander';
import { action, type CliContext } from '../context.ts';
import { locationArgument, numberOption } from '../input.ts';
import { formatNumber, formatTable, type TableCell } from '../output.ts';

type Options = {
  date?: string;
  at?: string;
  hours?: number;
  step?: number;
  intervals?: boolean;
  confidence?: number;
};

export function addForecast(program: Command): void {
  program
    .command('forecast')
    .summary('expected demand per location and step')
    .argument('[locations...]', 'their ids; default: all', locationArgument)
    .option('--date <day>', 'first local day; only demand observed before it is used')
    .option('--at <time>', 'from this time on, or "now", instead of a date')
    .option('--hours <n>', 'hours ahead (168)', numberOption)
    .option('--step <n>', 'hours of a step (24)', numberOption)
    .option('--intervals', 'with the interval that holds 95 % of outcomes')
    .option('--confidence <share>', 'that share instead of 0.95', numberOption)
    .action(action(forecast));
}

async function forecast({ fleet, output }: CliContext, ids: number[], options: Options): Promise<void> {
  const stored = await fleet.get('/api/v1/data/locations');
  const names = new Map(stored.data.locations.map(({ id, name }) => [String(id), name]));
  const { date, at, hours, step, intervals, confidence } = options;
  const answer = await fleet.post('/api/v1/forecast', {
    body: {
      location_ids: ids.length > 0 ? ids : stored.data.locations.map(({ id }) => id),
      ...(hours !== undefined && { horizon_hours: hours }),
      features: {
        ...(date !== undefined && { start_date: date }),
        ...(at !== undefined && { start_at: at }),
        // The service checks it, and says which steps there are.
        ...(step !== undefined && { step_hours: step as 1 }),
        ...(confidence !== undefined && { confidence_level: confidence }),
        include_intervals: intervals || confidence !== undefined,
      },
    },
  });
  const { forecasts, intervals: ranges, metadata } = answer.data;
  output.answer(answer, () => {
    const steps = Math.max(...Object.values(forecasts).map((values) => values.length));
    const header = Array.from({ length: steps }, (_, i) => `+${(i + 1) * metadata.step_hours} h`);
    const rows = Object.entries(forecasts).map(([id, values]): TableCell[] => {
      const range = ranges?.[id];
      const shown = range
        ? values.map((_, i) => `${formatNumber(range.lower[i])} to ${formatNumber(range.upper[i])}`)
        : values.map((value) => Math.round(value * 10) / 10);
      return [Number(id), names.get(id), ...shown];
    });
    return `from ${metadata.start_date} on, ${metadata.model}\n${formatTable(['id', 'location', ...header], rows)}`;
  });
}
