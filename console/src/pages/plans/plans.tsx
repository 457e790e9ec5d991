import { get } from '../../api/client.ts';
import type { PlanSummary } from '../../api/types.ts';
import { count, decimal, moment, percent } from '../../format.ts';
import { addressOf, changeQuery, query } from '../../router.ts';
import { SERVICE } from '../../service.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../ui/load.ts';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Comparison } from './comparison.tsx';
import { Scatter } from './scatter.tsx';

const words = texts.plans;
const SHOWN = 200;

/** Which plans there are, and what two of them do differently. */
export default function Plans() {
  const search = query.value;
  const filter = {
    min_coverage: search.get('coverage') ?? undefined,
    max_cost: search.get('cost') ?? undefined,
    created_after: search.get('after') ?? undefined,
  };
  const { data, error, reload } = useLoad(
    (signal) => {
      const wanted = new URLSearchParams({ limit: String(SHOWN) });
      for (const [name, value] of Object.entries(filter))
        if (value) wanted.set(name, parameterOf(name, value));
      return get<{ plans: PlanSummary[]; next_cursor: string | null }>(`/api/v1/plans?${wanted}`, signal);
    },
    [filter.min_coverage, filter.max_cost, filter.created_after],
  );
  if (!data && error === undefined) return <Loading />;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const plans = data?.plans ?? [];
  const chosen = [search.get('a'), search.get('b')].filter((id) => id !== null);
  const choose = (id: string) => {
    const left = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen.slice(-1), id];
    changeQuery({ a: left[0], b: left[1] });
  };
  return (
    <div class="page">
      <h1>{sentenceOf(plans, data?.next_cursor !== null)}</h1>
      <Filters />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {plans.length === 0 && error === undefined && <Nothing isFiltered={isFiltered} />}
      {plans.length > 0 && (
        <>
          {chosen.length === 2 && <Comparison key={chosen.join()} a={chosen[0]} b={chosen[1]} />}
          <div class="columns">
            <PlanTable plans={plans} chosen={chosen} onChoose={choose} />
            <Scatter plans={plans} chosen={chosen} onChoose={choose} />
          </div>
        </>
      )}
    </div>
  );
}

/** The address has days and percent; the service takes moments and shares. */
function parameterOf(name: string, value: string): string {
  if (name === 'created_after') return `${value}T00:00:00Z`;
  return name === 'min_coverage' ? String(Number(value) / 100) : value;
}

function sentenceOf(plans: PlanSummary[], isMore: boolean): string {
  if (plans.length === 0) return words.title;
  const coverages = plans.map(({ kpis }) => kpis.demand_coverage);
  const costs = plans.map(({ total_cost }) => total_cost);
  const range = (values: number[], write: (value: number) => string) =>
    `${write(Math.min(...values))}–${write(Math.max(...values))}`;
  const number = isMore ? words.newest(count(plans.length)) : words.all(count(plans.length));
  return words.sentence(number, range(coverages, percent), range(costs, decimal));
}

function Filters() {
  const search = query.value;
  const field = (name: string, label: string, type: 'number' | 'date') => (
    <label>
      {label}
      <input
        type={type}
        min="0"
        value={search.get(name) ?? ''}
        onChange={(event) => changeQuery({ [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      {field('coverage', words.minCoverage, 'number')}
      {field('cost', words.maxCost, 'number')}
      {field('after', words.after, 'date')}
    </form>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p>{words.noneFits}</p>;
  const command = `curl ${SERVICE}/api/v1/decisions -H 'content-type: application/json' -d '{}'`;
  return <Empty title={words.none} advice={words.advice} command={command} />;
}

type TableProps = { plans: PlanSummary[]; chosen: string[]; onChoose: (id: string) => void };

function PlanTable({ plans, chosen, onChoose }: TableProps) {
  const columns: Column<PlanSummary>[] = [
    {
      name: words.compare,
      cell: ({ plan_id, created_at }) => (
        <input
          type="checkbox"
          aria-label={words.compareOne(moment(created_at))}
          checked={chosen.includes(plan_id)}
          onChange={() => onChoose(plan_id)}
        />
      ),
    },
    {
      name: words.created,
      value: (plan) => plan.created_at,
      cell: (plan) => <a href={addressOf('map', { plan: plan.plan_id })}>{moment(plan.created_at)}</a>,
    },
    {
      name: words.kind,
      value: ({ job_id }) => job_id.slice(0, 3),
      cell: ({ job_id }) =>
        job_id.startsWith('dec_') ? texts.jobs.kinds.decision : texts.jobs.kinds.optimize,
    },
    {
      name: words.coverage,
      value: ({ kpis }) => kpis.demand_coverage,
      cell: ({ kpis }) => percent(kpis.demand_coverage),
      isNumber: true,
    },
    {
      name: words.cost,
      value: (plan) => plan.total_cost,
      cell: (plan) => decimal(plan.total_cost),
      isNumber: true,
    },
    {
      name: words.moved,
      value: ({ kpis }) => kpis.rebalanced_count,
      cell: ({ kpis }) => count(kpis.rebalanced_count),
      isNumber: true,
    },
    {
      name: words.vehicles,
      value: (plan) => plan.vehicle_count,
      cell: (plan) => count(plan.vehicle_count),
      isNumber: true,
    },
  ];
  return (
    <section>
      <p class="quiet">
        {words.howToCompare} {texts.costs}
      </p>
      <Table
        caption={words.title}
        columns={columns}
        rows={plans}
        keyOf={({ plan_id }) => plan_id}
        most={20}
      />
    </section>
  );
}
