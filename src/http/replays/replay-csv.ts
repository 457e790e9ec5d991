import { REPLAY_CSV_COLUMNS, type ReplayCsvPart, type ReplayData } from '../../contracts/replays.ts';
import { HOUR_MS } from '../../contracts/time.ts';
import { BYTE_ORDER_MARK, csvText } from '../bodies/csv-answer.ts';

type Cell = string | number | null;

/** Rows that are written at once: other requests are served in between. */
const ROWS_PER_PIECE = 2000;

/** A part of a replay as CSV, in pieces, its header first. Texts are quoted for spreadsheets, as in all CSV. */
export function* replayCsv(
  part: ReplayCsvPart,
  data: ReplayData,
  forSpreadsheet: boolean,
): Generator<string> {
  let lines = [`${forSpreadsheet ? BYTE_ORDER_MARK : ''}${REPLAY_CSV_COLUMNS[part].join(',')}`];
  const rows: Iterable<readonly Cell[]> = ROWS[part](data);
  for (const row of rows) {
    lines.push(
      row.map((cell) => (typeof cell === 'string' ? csvText(cell, forSpreadsheet) : (cell ?? ''))).join(','),
    );
    if (lines.length < ROWS_PER_PIECE) continue;
    yield `${lines.join('\r\n')}\r\n`;
    lines = [];
  }
  if (lines.length > 0) yield `${lines.join('\r\n')}\r\n`;
}

const ROWS: Record<ReplayCsvPart, (data: ReplayData) => Iterable<readonly Cell[]>> = {
  policies: policyRows,
  hours: hourRows,
  locations: locationRows,
  locations_by_hour: locationHourRows,
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

/** No row if the replay is too large for them. */
function* locationHourRows({ policies, starts_at, location_ids, demand_by_hour_and_location }: ReplayData) {
  const start = Date.parse(starts_at);
  for (const { name, lost_by_hour_and_location } of policies) {
    for (const [t, lost] of (lost_by_hour_and_location ?? []).entries()) {
      const at = new Date(start + t * HOUR_MS).toISOString();
      for (const [j, trips] of lost.entries())
        yield [name, at, location_ids[j], demand_by_hour_and_location?.[t]?.[j] ?? null, trips];
    }
  }
}
