/**
 * What the plan that serves most costs in time, as a ratio to the plain solve at the level that it reaches, in the
 * same run. Both go the whole way from a parsed request to a verified plan, in processor time; the relaxations that the
 * shortfall names are part of it.
 *
 *   npm run bench:shortage -- [--only TEXT] [--repeats 5] [--direct-up-to 263] [--json FILE]
 *
 * Up to `direct-up-to` locations, HiGHS also solves the first city alone, with all moves in one model, in at most
 * a minute.
 */
import type { Constraints } from '../src/contracts/optimize.ts';
import { digits, readArguments, reportTable, spread } from './cli.ts';
import { cityRequest, type RequestShape } from './requests.ts';
import { type City, solveAlone, solveTimed } from './timed-solves.ts';

const {
  only,
  repeats,
  json,
  'direct-up-to': directUpTo,
} = readArguments({ only: '', repeats: 5, 'direct-up-to': 263 });

const SHAPES: Record<string, RequestShape> = {
  '263 locations, 2,630 vehicles': { locations: 263, vehicles: 2_630, classes: 1, isFractional: false },
  '263 locations, fractional demand': { locations: 263, vehicles: 2_630, classes: 1, isFractional: true },
  '73 locations, capacities 1 to 3': { locations: 73, vehicles: 730, classes: 3, isFractional: true },
  '1,000 locations, 100,000 vehicles': {
    locations: 1_000,
    vehicles: 100_000,
    classes: 1,
    isFractional: false,
  },
  '1,000 locations, fractional demand': {
    locations: 1_000,
    vehicles: 100_000,
    classes: 1,
    isFractional: true,
  },
};

/** Demand of the city is 0.8 of the fleet's capacity. `cost`: of the cheapest plan without a ceiling. */
const KINDS: Record<string, { load: number; constraints(cost: number): Constraints }> = {
  'too few vehicles': { load: 1.5, constraints: () => ({}) },
  'too far apart': { load: 1, constraints: () => ({ max_distance: 2 }) },
  // At 2 km no city of 1,000 locations is short.
  'too far apart, at most 1 km': { load: 1, constraints: () => ({ max_distance: 1 }) },
  'ceiling at half the cost': { load: 1, constraints: (cost) => ({ max_rebalancing_cost: cost / 2 }) },
};

function loaded(city: City, load: number): City {
  const demand = Object.entries(city.request.demand_forecast).map(([id, [value]]) => [id, [load * value]]);
  return { ...city, request: { ...city.request, demand_forecast: Object.fromEntries(demand) } };
}

const rows: string[][] = [];
for (const [name, shape] of Object.entries(SHAPES)) {
  for (const [kind, { load, constraints }] of Object.entries(KINDS)) {
    if (!`${name}, ${kind}`.includes(only)) continue;
    const [plain, most, ratios, levels]: number[][] = [[], [], [], []];
    let open = 0;
    let alone = '';
    for (let seed = 1; seed <= repeats; seed++) {
      const city = loaded(cityRequest(seed, shape), load);
      const free = await solveTimed(city, {});
      const cost = 'result' in free.outcome ? free.outcome.result.total_cost : 0;
      const limits = constraints(cost);
      const served = await solveTimed(city, { ...limits, shortage: 'serve_most' });
      if (!('result' in served.outcome) || !served.outcome.result.shortfall) continue;
      if (served.outcome.status !== 'optimal') open++;
      const { reached } = served.outcome.result.shortfall;
      const again = await solveTimed(city, { ...limits, min_service_level: reached * (1 - 1e-9) });
      plain.push(again.ms);
      most.push(served.ms);
      ratios.push(served.ms / again.ms);
      levels.push(reached);
      if (seed === 1 && shape.locations <= directUpTo) {
        alone = await solveAlone(city, { ...limits, shortage: 'serve_most' });
      }
    }
    if (ratios.length === 0) continue;
    const ends: [number, number] = [0, 1];
    rows.push([
      name,
      kind,
      spread(levels, (level) => level.toFixed(3), ends),
      spread(plain, digits, ends),
      spread(most, digits, ends),
      spread(ratios, digits, ends),
      String(open),
      alone,
    ]);
  }
}
reportTable(
  {
    columns: [
      'city',
      'short because',
      'level reached',
      'plain solve, ms',
      'serve_most, ms',
      'ratio',
      'not proved',
      'HiGHS alone, ms',
    ],
    rows,
  },
  json,
);
