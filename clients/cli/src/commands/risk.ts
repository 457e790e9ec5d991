import type { Command } from 'commander';
import { type components, riskVehicleOf } from 'fleet-client';
import { action, type CliContext } from '../context.ts';
import { InputError } from '../exit-codes.ts';
import { numberOption, readJson } from '../input.ts';
import { formatTable } from '../output.ts';

type Options = { location?: number; vehicle?: string[]; date?: string; top: number };
type Risks = components['schemas']['RiskRequest'];

export function addRisk(program: Command): void {
  program
    .command('risk')
    .summary('risk scores of vehicles: of the stored fleet, or of a file')
    .argument(
      '[vehicles]',
      'file with the JSON body of POST /api/v1/risk/score, or its list; - is standard input',
    )
    .option('--location <id>', 'only stored vehicles at this location', numberOption)
    .option('--vehicle <ids...>', 'only these stored vehicles')
    .option('--date <day>', 'day on which stored vehicles are scored (today)')
    .option('--top <n>', 'rows of stored vehicles, the highest risks first', numberOption, 20)
    .action(action(risk));
}

async function risk(context: CliContext, file: string | undefined, options: Options): Promise<void> {
  const { fleet, output } = context;
  const asked = file === undefined ? await readStored(context, options) : await readFile(file);
  const answer = await fleet.post('/api/v1/risk/score', { body: { vehicles: asked.vehicles } });
  const scores = answer.data.risk_scores;
  const rows =
    file === undefined
      ? scores.toSorted((a, b) => b.risk_score - a.risk_score).slice(0, options.top)
      : scores;
  output.answer(answer, () => [...asked.notes(scores.length), tableOf(rows)].join('\n'));
}

async function readFile(file: string) {
  const given = (await readJson(file)) as Risks | Risks['vehicles'];
  return { vehicles: Array.isArray(given) ? given : given.vehicles, notes: () => [] };
}

/** The stored vehicles that are asked for, as far as their figures are known. @throws InputError if there are none */
async function readStored({ fleet }: CliContext, { location, vehicle, date, top }: Options) {
  const day = date ?? new Date().toISOString().slice(0, 10);
  if (Number.isNaN(Date.parse(day))) throw new InputError(`--date "${day}" is no day such as 2017-05-04`);
  const query = location === undefined ? {} : { location_id: location };
  const stored = (await fleet.get('/api/v1/data/fleet', { params: { query } })).data.fleet;
  const missing = vehicle?.find((id) => !stored.some(({ vehicle_id }) => vehicle_id === id));
  if (missing !== undefined)
    throw new InputError(`there is no vehicle ${missing} among ${stored.length} vehicles`);
  const chosen = vehicle ? stored.filter(({ vehicle_id }) => vehicle.includes(vehicle_id)) : stored;
  const vehicles = chosen.flatMap((one) => riskVehicleOf(one, day) ?? []);
  const unknown =
    vehicles.length < chosen.length
      ? [
          `${chosen.length - vehicles.length} of ${chosen.length} vehicles have no acquired_on, last_maintenance_on ` +
            'or utilization_rate; `fleet data push fleet …` stores them',
        ]
      : [];
  if (vehicles.length === 0) throw new InputError(unknown[0] ?? 'there are no such vehicles');
  const notes = (count: number) => [
    `on ${day}, the highest ${Math.min(top, count)} of ${count} scores`,
    ...unknown,
  ];
  return { vehicles, notes };
}

function tableOf(scores: components['schemas']['VehicleRisk'][]): string {
  return formatTable(
    ['vehicle', 'risk', 'category', 'age', 'utilization', 'maintenance'],
    scores.map(({ vehicle_id, risk_score, risk_category, factors }) => [
      vehicle_id,
      risk_score,
      risk_category,
      factors.age_contribution,
      factors.utilization_contribution,
      factors.maintenance_contribution,
    ]),
  );
}
