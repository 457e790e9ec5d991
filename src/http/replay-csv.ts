import { REPLAY_CSV_COLUMNS, type ReplayCsvPart, type ReplayData } from '../contracts/replays.ts';
import { HOUR_MS } from '../contracts/time.ts';
import { BYTE_ORDER_MARK, csvText } from './csv-answer.ts';

type Cell = string | number | null;

/** A part of a replay as CSV, its header first. Texts are quoted for spreadsheets, as in all CSV. */
export function replayCsv(part: ReplayCsvPart, data: ReplayData, forSpreadsheet: boolean): string {
  const rows: Iterable<readonly Cell[]> = ROWS[part](data);
  const lines = [REPLAY_CSV_COLUMNS[part].join(',')];
  for (const row of rows) {
    lines.push(
      row.map((cell) => (typeof cell === 'string' ? csvText(cell, forSpreadsheet) : (cell ?? ''))).join(','),
    );
  }
  return `${forSpreadsheet ? BYTE_ORDER_MARK : ''}${lines.join('\r\n')}\r\n`;
}

const ROWS: Record<ReplayCsvPart, (data: ReplayData) => Iterable<readonly Cell[]>> = {
  policies: policyRows,
  hours: hourRows,
  locations: locationRows,
};

/** A row for expected trip ends, without a seed, then one per seed. */
function* policyRows({ policies }: ReplayData) {
  for (const { name, mode, demand, drawn, ...expected } of policies) {
    for (const one of [{ seed: null, ...expected }, ...drawn]) {
      yield [
        ...[
          name,
          mode,
          demand,
          one.seed,
          one.served,
          one.lost,
          one.served_share,
          one.moves,
          one.km,
          one.minutes,
        ],
        ...[one.cost, one.utilization, one.objective, one.hours_without_plan],
      ];
    }
  }
}

function* hourRows({ policies, starts_at, demand_by_hour }: ReplayData) {
  const start = Date.parse(starts_at);
  for (const { name, served_by_hour, moves_by_hour } of policies) {
    for (const [t, served] of served_by_hour.entries())
      yield [name, new Date(start + t * HOUR_MS).toISOString(), demand_by_hour[t], served, moves_by_hour[t]];
  }
}

function* locationRows({ policies, location_ids, demand_by_location }: ReplayData) {
  for (const { name, served_by_location } of policies) {
    for (const [j, served] of served_by_location.entries())
      yield [name, location_ids[j], demand_by_location[j], served];
  }
}
