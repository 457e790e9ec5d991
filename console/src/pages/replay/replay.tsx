import { FleetError } from '../../api/client.ts';
import { readForecast } from '../../api/forecasts.ts';
import { loadLocations } from '../../api/locations.ts';
import { listReplays, type ReplayJob, readReplay } from '../../api/replays.ts';
import type { ReplaySummary } from '../../api/types.ts';
import { count, moment, percent } from '../../format.ts';
import { changeQuery, query } from '../../router.ts';
import { SERVICE } from '../../service.ts';
import { texts } from '../../texts.ts';
import { Following } from '../../ui/following.tsx';
import { useLoad } from '../../ui/load.ts';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { isOpen } from '../jobs/live-jobs.ts';
import { periodInWords } from './period.ts';
import { bestOf, titleOf } from './policies.ts';
import { Result } from './result.tsx';
import { Start } from './start.tsx';

const words = texts.replay;

/** The worth of a plan: ways of planning, replayed side by side over past days. */
export default function ReplayPage() {
  const id = query.value.get('replay') ?? undefined;
  const base = useLoad(async (signal) => {
    const places = await loadLocations();
    if (places.length === 0) return { places, dayAfter: undefined };
    const forecast = await readForecast(
      { location_ids: [places[0].id], horizon_hours: 24, features: { include_intervals: false } },
      signal,
    );
    // Forecasts begin with the first day of which nothing is known.
    return { places, dayAfter: forecast.metadata.start_date };
  }, []);
  const stored = useLoad(listReplays, [id]);
  const known = useLoad(async (signal) => (id === undefined ? undefined : readReplay(id, signal)), [id]);
  if (base.error !== undefined) return <Failure error={base.error} onRetry={base.reload} />;
  if (!base.data) return <Loading />;
  const { places, dayAfter } = base.data;
  if (dayAfter === undefined) {
    const url = `${SERVICE}/api/v1/data/locations`;
    const command = `curl -X PUT ${url} -H 'content-type: text/csv' --data-binary @locations.csv`;
    return <Empty title={texts.today.noLocations} advice={texts.today.noLocationsAdvice} command={command} />;
  }
  const reload = () => {
    known.reload();
    stored.reload();
  };
  const state = known.data;
  const result = state && 'replay' in state && state.replay.replay_id === id ? state.replay : undefined;
  const job = state && 'job' in state && state.job.job_id === id ? state.job : undefined;
  // The parts above the form come before it, so that the form does not move.
  if (id !== undefined && !result && !job && known.error === undefined) return <Loading />;
  return (
    <div class="page" aria-busy={known.isLoading}>
      {result ? <Result replay={result} places={places} /> : <h1>{words.question}</h1>}
      {known.error !== undefined && <Failure error={known.error} onRetry={known.reload} />}
      {job && <Unfinished key={id} job={job} onEnd={reload} />}
      {!(job && isOpen(job)) && (
        <>
          <Start key={dayAfter} dayAfter={dayAfter} />
          {stored.error !== undefined && <Failure error={stored.error} onRetry={stored.reload} />}
          {stored.data && <Stored replays={stored.data} chosen={id} />}
        </>
      )}
    </div>
  );
}

/** A replay that runs, or that ended without a result. */
function Unfinished({ job, onEnd }: { job: ReplayJob; onEnd: () => void }) {
  if (isOpen(job)) return <Following jobId={job.job_id} ended={words.ended} onEnd={onEnd} />;
  if (job.status === 'cancelled') return <p>{words.cancelled}</p>;
  const { errors = [] } = job.result ?? {};
  return <Failure error={new FleetError({ errors })} />;
}

function Stored({ replays, chosen }: { replays: ReplaySummary[]; chosen: string | undefined }) {
  const columns: Column<ReplaySummary>[] = [
    { name: words.made, value: (row) => row.created_at, cell: (row) => moment(row.created_at) },
    { name: words.period, value: (row) => row.from, cell: periodInWords },
    {
      name: words.locations,
      value: (row) => row.locations,
      cell: (row) => count(row.locations),
      isNumber: true,
    },
    {
      name: words.vehicles,
      value: (row) => row.fleet_size,
      cell: (row) => count(row.fleet_size),
      isNumber: true,
    },
    {
      name: words.best,
      cell: ({ policies }) => `${titleOf(bestOf(policies).name)}, ${percent(bestOf(policies).served_share)}`,
    },
  ];
  return (
    <section>
      <h2>{words.stored}</h2>
      {replays.length === 0 ? (
        <p>{words.noneStored}</p>
      ) : (
        <Table
          caption={words.stored}
          columns={columns}
          rows={replays}
          keyOf={({ replay_id }) => replay_id}
          selected={chosen}
          onSelect={(replay) => {
            changeQuery({ replay, policy: undefined }, 'push');
            window.scrollTo(0, 0);
          }}
        />
      )}
    </section>
  );
}
