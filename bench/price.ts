/**
 * What a cost of unmet demand costs in time, as a ratio to the plain solve of the same city in the same run. Both go
 * the whole way from a parsed request to a verified plan, in processor time.
 *
 *   npm run bench:price -- [--only TEXT] [--repeats 5] [--direct-up-to 263] [--json FILE]
 *
 * Up to `direct-up-to` locations, HiGHS also solves the first city alone, with all moves in one model, in at most
 * a minute.
 */
import { digits, readArguments, reportTable, spread } from './cli.ts';
import { createUniform } from './instances.ts';
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
  '1,000 locations, 100,000 vehicles': {
    locations: 1_000,
    vehicles: 100_000,
    classes: 1,
    isFractional: false,
  },
  '263 locations, fractional demand': { locations: 263, vehicles: 2_630, classes: 1, isFractional: true },
  '1,000 locations, fractional demand': {
    locations: 1_000,
    vehicles: 100_000,
    classes: 1,
    isFractional: true,
  },
  '73 locations, capacities 1 to 3': { locations: 73, vehicles: 730, classes: 3, isFractional: true },
};

/** Moves of these cities cost 5 to 15 each, at most 60. `price`: of the location at a place from 0 to 1. */
const KINDS: Record<string, { load: number; level: number; price: number | ((at: number) => number) }> = {
  'level 0.95, one price of 10': { load: 1, level: 0.95, price: 10 },
  'level 0.95, prices of 5 to 25': { load: 1, level: 0.95, price: (at) => 5 + 20 * at },
  'prices of 5 to 25 alone': { load: 1, level: 0, price: (at) => 5 + 20 * at },
  'prices of 5 to 25 alone, demand 1.2 of the fleet': { load: 1.5, level: 0, price: (at) => 5 + 20 * at },
};

function loaded(city: City, load: number): City {
  const demand = Object.entries(city.request.demand_forecast).map(([id, [value]]) => [
    id,
    [load === 1 ? value : Math.floor(load * value)],
  ]);
  return { ...city, request: { ...city.request, demand_forecast: Object.fromEntries(demand) } };
}

const rows: string[][] = [];
for (const [name, shape] of Object.entries(SHAPES)) {
  for (const [kind, { load, level, price }] of Object.entries(KINDS)) {
    if (!`${name}, ${kind}`.includes(only)) continue;
    const [plain, priced, ratios, levels]: number[][] = [[], [], [], []];
    const endings = new Set<string>();
    let alone = '';
    for (let seed = 1; seed <= repeats; seed++) {
      const city = loaded(cityRequest(seed, shape), load);
      const random = createUniform(seed + 1000);
      const prices =
        typeof price === 'number'
          ? price
          : Object.fromEntries(
              city.locations.map(({ id }) => [String(id), Math.round(100 * price(random())) / 100]),
            );
      const constraints = { min_service_level: level, unmet_demand_cost: prices };
      const found = await solveTimed(city, constraints);
      const { outcome } = found;
      endings.add('result' in outcome ? `${outcome.status}, ${outcome.certificate.method}` : outcome.status);
      if (!('result' in outcome)) continue;
      const { demand_coverage } = outcome.result.kpis;
      const free = await solveTimed(city, { min_service_level: Math.max(0, demand_coverage * (1 - 1e-9)) });
      plain.push(free.ms);
      priced.push(found.ms);
      ratios.push(found.ms / free.ms);
      levels.push(demand_coverage);
      if (seed === 1 && shape.locations <= directUpTo) alone = await solveAlone(city, constraints);
    }
    const ends: [number, number] = [0, 1];
    rows.push([
      name,
      kind,
      spread(levels, (value) => value.toFixed(3), ends),
      spread(plain, digits, ends),
      spread(priced, digits, ends),
      spread(ratios, digits, ends),
      [...endings].join('; '),
      alone,
    ]);
  }
}
reportTable(
  {
    columns: [
      'city',
      'price',
      'level reached',
      'plain solve at it, ms',
      'priced, ms',
      'ratio',
      'answer',
      'HiGHS alone, ms',
    ],
    rows,
  },
  json,
);
