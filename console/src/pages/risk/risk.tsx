import { riskVehicleOf } from 'fleet-client';
import { useMemo } from 'preact/hooks';
import { readRows, scoreRisk } from '../../api/data.ts';
import { loadLocations, locations } from '../../api/locations.ts';
import type { FleetVehicle, RiskVehicle, VehicleRisk } from '../../api/types.ts';
import { Lines } from '../../charts/lines.tsx';
import { count } from '../../format.ts';
import { addressOf, changeQuery, query } from '../../router.ts';
import { SERVICE } from '../../service.ts';
import { texts } from '../../texts.ts';
import { Find, wantedText } from '../../ui/find.tsx';
import { useLoad } from '../../ui/load.ts';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Bar, BarLegend } from './bar.tsx';
import { BIN, binsOf } from './figures.ts';
import { score } from './score.ts';
import { WhatIf } from './what-if.tsx';

const words = texts.risk;
/** The riskiest vehicles that the table has. */
const MOST_SHOWN = 500;
const NO_CHANGE = { age: undefined, maintenance: undefined, utilization: undefined };

type Scored = { stored: FleetVehicle; vehicle: RiskVehicle; risk: VehicleRisk };

/** Which vehicles may fail, and why. */
export default function Risk() {
  const day = query.value.get('day') || today();
  const { data, error, reload } = useLoad(
    async (signal) => {
      const [fleet] = await Promise.all([
        readRows<FleetVehicle>('/api/v1/data/fleet', 'fleet', signal),
        loadLocations(),
      ]);
      const known = fleet.flatMap((stored) => {
        const vehicle = riskVehicleOf(stored, day);
        return vehicle ? [{ stored, vehicle }] : [];
      });
      const risks = await scoreRisk(
        known.map(({ vehicle }) => vehicle),
        signal,
      );
      const scored = known.map((one, i): Scored => ({ ...one, risk: risks[i] }));
      return { fleet, scored: scored.toSorted((a, b) => b.risk.risk_score - a.risk.risk_score) };
    },
    [day],
  );
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  if (data.scored.length === 0) return <Nothing first={data.fleet[0]} />;
  return <Scores scored={data.scored} all={data.fleet.length} day={day} />;
}

/** The reader's day. */
function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

function Nothing({ first }: { first: FleetVehicle | undefined }) {
  const figures = '{"acquired_on":"2015-05-04","last_maintenance_on":"2017-02-01","utilization_rate":0.75}';
  const json = "-H 'content-type: application/json'";
  const vehicle = encodeURIComponent(first?.vehicle_id ?? '');
  const command = `curl ${SERVICE}/api/v1/data/fleet/${vehicle} -X PATCH ${json} -d '${figures}'`;
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <Empty
        title={first ? words.none : words.noFleet}
        advice={first ? words.advice : words.noFleetAdvice}
        {...(first && { command })}
      >
        <a href={addressOf('data', { set: 'fleet' })}>{words.toData}</a>
      </Empty>
    </div>
  );
}

function Scores({ scored, all, day }: { scored: Scored[]; all: number; day: string }) {
  const selected = query.value.get('vehicle') ?? undefined;
  const chosen = scored.find(({ vehicle }) => vehicle.id === selected);
  const chart = useMemo(() => {
    const bins = binsOf(scored.map(({ risk }) => risk));
    return {
      xs: bins.map((_, i) => Math.round(i * BIN * 100) / 100),
      lines: [{ name: words.vehicles, values: bins, colour: '--amount', isBars: true }],
    };
  }, [scored]);
  const number = (category: VehicleRisk['risk_category']) =>
    count(scored.filter(({ risk }) => risk.risk_category === category).length);
  const [riskiest] = scored;
  const nameOf = useMemo(() => new Map(locations.value.map(({ id, name }) => [id, name])), [locations.value]);
  const wanted = wantedText();
  const found = useMemo(() => {
    const fits = ({ vehicle, stored }: Scored) =>
      `${vehicle.id} ${nameOf.get(stored.location_id) ?? ''}`.toLowerCase().includes(wanted);
    return wanted ? scored.filter(fits) : scored;
  }, [scored, wanted, nameOf]);
  const columns: Column<Scored>[] = [
    {
      name: words.vehicle,
      value: ({ vehicle }) => vehicle.id,
      cell: ({ vehicle }) => vehicle.id,
      isWhole: true,
    },
    {
      name: words.location,
      value: ({ stored }) => nameOf.get(stored.location_id) ?? '',
      cell: ({ stored }) => nameOf.get(stored.location_id) ?? stored.location_id,
    },
    {
      name: words.score,
      value: ({ risk }) => risk.risk_score,
      cell: ({ risk }) => score(risk.risk_score),
      isNumber: true,
    },
    {
      name: words.category,
      value: ({ risk }) => risk.risk_score,
      cell: ({ risk }) => words.categories[risk.risk_category],
    },
    { name: words.why, cell: ({ risk }) => <Bar risk={risk} /> },
  ];
  return (
    <div class="page">
      <h1>
        {words.sentence(count(scored.length), count(all), number('high'), number('medium'), number('low'))}{' '}
        {words.riskiest(riskiest.vehicle.id, score(riskiest.risk.risk_score))}
      </h1>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          {words.day}
          <input
            type="date"
            value={day}
            onChange={(event) => changeQuery({ day: event.currentTarget.value })}
          />
        </label>
        <Find label={words.find} />
      </form>
      <section>
        <h2>{words.distribution}</h2>
        <Lines label={words.distribution} {...chart} xName={words.from} writeX={score} height={180} />
      </section>
      <div class="columns">
        <section>
          <h2>{words.table}</h2>
          <p class="quiet">{words.howTo}</p>
          {selected !== undefined && !chosen && <p>{words.noVehicle(selected)}</p>}
          {wanted && <p class="quiet">{words.found(count(found.length), count(scored.length))}</p>}
          {!wanted && scored.length > MOST_SHOWN && <p class="quiet">{words.onlyFirst(count(MOST_SHOWN))}</p>}
          <BarLegend />
          {found.length === 0 ? (
            <p>{words.noneFits}</p>
          ) : (
            <Table
              caption={words.table}
              columns={columns}
              rows={found.slice(0, MOST_SHOWN)}
              keyOf={({ vehicle }) => vehicle.id}
              most={15}
              selected={selected}
              onSelect={(id) => changeQuery({ ...NO_CHANGE, vehicle: id === selected ? undefined : id })}
            />
          )}
        </section>
        {chosen && <WhatIf key={`${chosen.vehicle.id} ${day}`} vehicle={chosen.vehicle} risk={chosen.risk} />}
      </div>
    </div>
  );
}
