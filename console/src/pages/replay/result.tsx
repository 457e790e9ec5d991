import { useMemo } from 'preact/hooks';
import type { Place } from '../../api/locations.ts';
import type { Replay, ReplayedPolicy } from '../../api/types.ts';
import { Lines } from '../../charts/lines.tsx';
import { count, decimal, kilometres, percent, signed } from '../../format.ts';
import { changeQuery, query } from '../../router.ts';
import { texts } from '../../texts.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Losses } from './losses.tsx';
import { hourFormat, periodInWords, startOf } from './period.ts';
import { baselineOf, bestOf, titleOf } from './policies.ts';

const words = texts.replay;

/** The results of each way of planning: the best in a sentence, all in a table, one chosen in the pictures. */
export function Result({ replay, places }: { replay: Replay; places: Place[] }) {
  const { policies } = replay;
  const baseline = baselineOf(policies);
  const best = bestOf(policies);
  const chosen = policies.find(({ name }) => name === query.value.get('policy')) ?? best;
  return (
    <>
      <h1>{sentenceOf(replay, best, baseline)}</h1>
      <Policies replay={replay} chosen={chosen} />
      <Hours replay={replay} chosen={chosen} baseline={baseline} />
      <Losses replay={replay} chosen={chosen} baseline={baseline} places={places} />
      <p class="quiet">{assumptionsOf(replay)}</p>
    </>
  );
}

function sentenceOf(replay: Replay, best: ReplayedPolicy, baseline: ReplayedPolicy): string {
  const trips = count(replay.demand);
  const found = words.sentence(periodInWords(replay), titleOf(best.name), percent(best.served_share), trips);
  if (best.name === baseline.name) return `${found}.`;
  const more = signed(best.served - baseline.served);
  const less = titleOf(baseline.name);
  return `${found} ${words.instead(less, percent(baseline.served_share), more, kilometres(Math.round(best.km)))}`;
}

function assumptionsOf(replay: Replay): string {
  const sentence = words.assumptions(
    count(replay.fleet_size),
    String(replay.trips_per_vehicle_hour),
    String(replay.unmet_demand_cost),
    words.tripEnds[replay.trip_flows],
  );
  const missing = replay.hours_not_observed;
  return missing === 0 ? sentence : `${sentence} ${words.notObserved(count(missing))}`;
}

/** Served with drawn trip ends: from the least to the most over the seeds; undefined without seeds. */
function spreadOf({ drawn }: ReplayedPolicy): string | undefined {
  if (drawn.length === 0) return undefined;
  const shares = drawn.map(({ served_share }) => served_share);
  return `${percent(Math.min(...shares))}–${percent(Math.max(...shares))}`;
}

function Policies({ replay, chosen }: { replay: Replay; chosen: ReplayedPolicy }) {
  const { policies, bound } = replay;
  const amount = (name: string, value: (policy: ReplayedPolicy) => number, write = count) => ({
    name,
    value,
    cell: (policy: ReplayedPolicy) => write(value(policy)),
    isNumber: true,
  });
  const hasSpread = policies.some(({ drawn }) => drawn.length > 0);
  const columns: Column<ReplayedPolicy>[] = [
    { name: words.policy, value: ({ name }) => titleOf(name), cell: ({ name }) => titleOf(name) },
    {
      name: words.served,
      value: (policy) => policy.served_share,
      cell: ({ served_share: share }) => (
        <span class="share">
          <i aria-hidden="true">
            <i style={{ width: `${100 * share}%` }} />
          </i>
          {percent(share)}
        </span>
      ),
      isNumber: true,
    },
    ...(hasSpread
      ? [{ name: words.spread, cell: (policy: ReplayedPolicy) => spreadOf(policy) ?? '–', isNumber: true }]
      : []),
    amount(words.lost, ({ lost }) => lost),
    amount(words.moves, ({ moves }) => moves),
    amount(words.distance, ({ km }) => Math.round(km), kilometres),
    amount(words.cost, ({ cost }) => cost),
    {
      name: words.perKm,
      value: ({ extra_trips_per_km: trips }) => trips ?? -1,
      cell: ({ extra_trips_per_km: trips }) => (trips === null ? '–' : decimal(trips)),
      isNumber: true,
    },
    amount(words.objective, ({ objective }) => objective),
  ];
  const best = bestOf(policies);
  return (
    <section>
      <Table
        caption={words.compared}
        columns={columns}
        rows={policies}
        keyOf={({ name }) => name}
        most={12}
        selected={chosen.name}
        onSelect={(policy) => changeQuery({ policy })}
      />
      <p class="quiet">{texts.costs}</p>
      {bound !== null && (
        <p class="bound">
          {words.bound(count(bound))}{' '}
          {bound > 0 && words.aboveBound(titleOf(best.name), percent(best.objective / bound - 1))}
        </p>
      )}
      {policies
        .filter((policy) => policy.hours_without_plan > 0)
        .map(({ name, hours_without_plan: hours }) => (
          <p key={name}>{words.withoutPlan(titleOf(name), count(hours))}</p>
        ))}
    </section>
  );
}

type Chosen = { replay: Replay; chosen: ReplayedPolicy; baseline: ReplayedPolicy };

/** Demand and what each policy served of it, by the hour on the city's clock. */
function Hours({ replay, chosen, baseline }: Chosen) {
  const { time_zone: timeZone, demand_by_hour: demand, policies } = replay;
  const xs = useMemo(() => demand.map((_, hour) => hour), [demand]);
  const lines = useMemo(
    () => [
      { name: words.demand, values: demand, colour: '--text', isDashed: true, isThin: true },
      // Before the others, so that its filling lies below their lines.
      { name: titleOf(chosen.name), values: chosen.served_by_hour, colour: '--amount', isFilled: true },
      ...policies
        .filter(({ name }) => name !== chosen.name)
        .map(({ name, served_by_hour: values }) => ({
          name: titleOf(name),
          values,
          colour: '--even',
          isThin: name !== baseline.name,
        })),
    ],
    [replay, chosen, baseline],
  );
  const format = hourFormat(replay);
  return (
    <section>
      <h2>{words.byHour}</h2>
      <Lines
        label={words.byHour}
        xs={xs}
        writeX={(hour) => format.format(startOf(replay, hour))}
        xName={words.hour}
        lines={lines}
        height={280}
      />
      <p class="quiet">{words.clock(timeZone)}</p>
    </section>
  );
}
