import { useMemo } from 'preact/hooks';
import type { DecisionBody, StoredDecision } from '../../api/decisions.ts';
import type { Move } from '../../api/moves.ts';
import type { PlanLocation } from '../../api/types.ts';
import { Lines } from '../../charts/lines.tsx';
import { amount, clock, count, dayInWords, decimal, duration, moment, percent } from '../../format.ts';
import { addressOf } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Conflict } from '../../ui/conflict.tsx';
import { Figure } from '../../ui/figure.tsx';
import { withSettings } from '../../ui/settings.ts';
import { type Column, Table } from '../../ui/table.tsx';
import type { Figures } from './figures.ts';

const words = texts.today;

type Props = {
  decision: StoredDecision;
  figures: Figures;
  zone: string | undefined;
  onPlan: (changed: DecisionBody) => void;
};

/** The picture and the tables of a decision with a plan. */
export function Answer({ decision, figures, zone, onPlan }: Props) {
  const { shortfall } = figures;
  const certificate = decision.result?.data.plan;
  return (
    <>
      <Numbers figures={figures} />
      {shortfall && (
        <Conflict
          shortfall={shortfall}
          onApply={(settings) => onPlan(withSettings(decision.inputs?.request ?? {}, settings))}
        />
      )}
      <div class="columns">
        <DayChart figures={figures} zone={zone} />
        <Known figures={figures} />
      </div>
      <div class="columns even">
        <ShortTable figures={figures} planId={decision.plan_id} />
        <MovesTable figures={figures} planId={decision.plan_id} />
      </div>
      {certificate && decision.finished_at && (
        <p class="quiet">
          {words.planned(moment(decision.finished_at), duration(figures.solveMs))}. {texts.costs}
        </p>
      )}
    </>
  );
}

function Numbers({ figures }: { figures: Figures }) {
  const { kpis, planned, served, short } = figures;
  const { figures: labels } = words;
  return (
    <dl class="figures">
      <Figure label={labels.trips} value={count(figures.trips)} note={labels.hour(figures.busiestWords)} />
      <Figure
        label={labels.coverage}
        value={percent(planned > 0 ? served / planned : 1)}
        note={labels.ofTrips(count(served), count(planned))}
      />
      <Figure
        label={labels.unmet}
        value={count(kpis.unmet_demand)}
        note={labels.unmetNote(count(short.length))}
      />
      <Figure
        label={labels.moved}
        value={count(kpis.rebalanced_count)}
        note={labels.ofVehicles(count(figures.vehicles))}
      />
      <Figure
        label={labels.cost}
        value={decimal(kpis.total_cost)}
        note={kpis.total_distance_km === null ? '' : `${decimal(kpis.total_distance_km)} km`}
      />
      <Figure label={labels.used} value={percent(kpis.utilization)} note={labels.usedNote} />
    </dl>
  );
}

function DayChart({ figures, zone }: Pick<Props, 'figures' | 'zone'>) {
  const { expected, startHour, stepHours, capacity } = figures;
  const xs = useMemo(() => expected.map((_, step) => startHour + step * stepHours), [figures]);
  const lines = useMemo(
    () => [
      { name: words.demandLine, values: expected, colour: '--amount', isBars: true },
      { name: words.capacityLine, values: expected.map(() => capacity), colour: '--text', isDashed: true },
    ],
    [figures],
  );
  return (
    <section class="wide">
      <h2>{words.chart}</h2>
      <Lines label={words.chart} xs={xs} writeX={clock} xName={words.hour} lines={lines} />
      <p class="quiet">{words.chartNote(zone)}</p>
    </section>
  );
}

function Known({ figures }: { figures: Figures }) {
  const { holidays = [], events, names, withoutHistory } = figures;
  return (
    <section>
      <h2>{words.known}</h2>
      {holidays.length + events.length === 0 && (
        <p class="quiet">{figures.holidays ? words.nothingKnown : words.noEvent}</p>
      )}
      <ul class="plain">
        {holidays.map(({ date, name }) => (
          <li key={date + name}>
            {dayInWords(date, 'short')}: {name}
          </li>
        ))}
        {events.map(({ event_id, name, kind, location_id }) => (
          <li key={event_id}>
            {name ?? kind},{' '}
            {location_id === null ? words.everywhere : (names.get(location_id) ?? location_id)}
          </li>
        ))}
      </ul>
      {withoutHistory.length > 0 && <p>{words.noHistory(count(withoutHistory.length))}</p>}
    </section>
  );
}

function ShortTable({ figures, planId }: { figures: Figures; planId: string | null }) {
  const columns: Column<PlanLocation>[] = [
    {
      name: words.location,
      value: ({ name, location_id }) => name ?? String(location_id),
      cell: ({ name, location_id }) =>
        planId ? (
          <a href={addressOf('map', { plan: planId, location: String(location_id) })}>
            {name ?? location_id}
          </a>
        ) : (
          (name ?? location_id)
        ),
    },
    { name: words.unserved, value: ({ unmet }) => unmet, cell: ({ unmet }) => amount(unmet), isNumber: true },
    { name: words.of, value: ({ demand }) => demand, cell: ({ demand }) => amount(demand), isNumber: true },
    {
      name: words.servedShare,
      value: ({ served, demand }) => served / demand,
      cell: ({ served, demand }) => percent(served / demand),
      isNumber: true,
    },
  ];
  return (
    <section>
      <h2>{words.shortTable}</h2>
      {figures.short.length === 0 ? (
        <p>{words.nothingShort}</p>
      ) : (
        <Table
          caption={words.shortTable}
          columns={columns}
          rows={figures.short}
          keyOf={({ location_id }) => String(location_id)}
          most={8}
        />
      )}
    </section>
  );
}

function MovesTable({ figures, planId }: { figures: Figures; planId: string | null }) {
  const name = (id: number) => figures.names.get(id) ?? String(id);
  const columns: Column<Move>[] = [
    { name: words.from, value: ({ from }) => name(from), cell: ({ from }) => name(from) },
    { name: words.to, value: ({ to }) => name(to), cell: ({ to }) => name(to) },
    {
      name: words.vehicles,
      value: ({ vehicles }) => vehicles,
      cell: ({ vehicles }) => count(vehicles),
      isNumber: true,
    },
    {
      name: words.figures.cost,
      value: ({ cost }) => cost,
      cell: ({ cost }) => decimal(cost),
      isNumber: true,
    },
  ];
  return (
    <section>
      <h2>{words.movesTable}</h2>
      {figures.moves.length === 0 ? (
        <p>{words.noMoves}</p>
      ) : (
        <Table
          caption={words.movesTable}
          columns={columns}
          rows={figures.moves}
          keyOf={({ key }) => key}
          most={8}
        />
      )}
      {planId && (
        <p>
          <a href={addressOf('map', { plan: planId })}>{words.onMap}</a>
        </p>
      )}
    </section>
  );
}
