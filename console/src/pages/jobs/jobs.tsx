import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { connection } from '../../api/live.ts';
import type { Job } from '../../api/types.ts';
import { count, decimal, duration, moment, percent } from '../../format.ts';
import { changeQuery, query } from '../../router.ts';
import { SERVICE } from '../../service.ts';
import { texts } from '../../texts.ts';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { JobDetail } from './detail.tsx';
import { isOpen, useLiveJobs } from './live-jobs.ts';
import { Schedules } from './schedules.tsx';

const words = texts.jobs;
const STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'];
const TICK_MS = 500;

/** The running, waiting and ended jobs. */
export default function Jobs() {
  const search = query.value;
  const filter = { status: search.get('status') ?? undefined, kind: search.get('kind') ?? undefined };
  const { jobs, error, samples, look } = useLiveJobs(filter);
  const chosen = search.get('job') ?? undefined;
  const now = useNow(jobs?.some(isOpen) ?? false);
  const still = useStill(jobs ?? [], `${filter.status} ${filter.kind}`);
  if (!jobs) return error === undefined ? <Loading /> : <Failure error={error} onRetry={look} />;
  const known = jobs.find(({ job_id }) => job_id === chosen);
  return (
    <div class="page">
      <h1>{sentenceOf(jobs)}</h1>
      <form class="controls">
        <Choice
          name={words.status}
          value={filter.status}
          options={STATUSES.map((status) => [status, words.statuses[status]])}
          onChange={(status) => changeQuery({ status })}
        />
        <Choice
          name={words.kind}
          value={filter.kind}
          options={Object.entries(words.kinds)}
          onChange={(kind) => changeQuery({ kind })}
        />
        <Connection waiting={still.waiting} />
      </form>
      <div class="columns">
        <div class="jobs" onPointerEnter={still.hold} onPointerLeave={still.release}>
          <JobTable
            jobs={still.rows}
            chosen={chosen}
            now={now}
            isFiltered={Boolean(filter.status || filter.kind)}
          />
        </div>
        {chosen !== undefined && (
          <JobDetail
            key={chosen}
            jobId={chosen}
            known={known}
            samples={samples.get(chosen) ?? []}
            onChange={look}
          />
        )}
      </div>
      {jobs.length > 0 && <p class="quiet">{texts.costs}</p>}
      <Schedules chosen={search.get('schedule') ?? undefined} />
      {error !== undefined && (
        <div class="notice">
          <Failure error={error} onRetry={look} />
        </div>
      )}
    </div>
  );
}

function sentenceOf(jobs: Job[]): string {
  if (jobs.length === 0) return words.nothing;
  const numberOf = (status: string) => jobs.filter((job) => job.status === status).length;
  const [running, queued] = [numberOf('running'), numberOf('queued')];
  const ends = ['completed', 'failed', 'cancelled'].map((status) => [status, numberOf(status)] as const);
  const ended = ends
    .filter(([, number]) => number > 0)
    .map(([status, number]) => `${count(number)} ${words.statuses[status]}`);
  const newest = jobs.find((job) => job.finished_at !== null);
  const now =
    running + queued === 0 && newest
      ? words.idle(moment(newest.finished_at!))
      : words.sentence(count(running), count(queued));
  return `${now}${ended.length > 0 ? words.ofNewest(count(jobs.length), ended.join(', ')) : '.'}`;
}

/**
 * Jobs as they are now. While a pointer is on their table, they are the same ones in the same places: new ones wait, so
 * that a click meets the job that it was meant for.
 * @param list what they are of; another list is shown at once
 */
function useStill(jobs: Job[], list: string) {
  const held = useSignal<{ list: string; jobs: Job[] } | undefined>(undefined);
  const hold = () => {
    // Without jobs there is nothing to click on.
    if (jobs.length > 0) held.value = { list, jobs };
  };
  const release = () => {
    held.value = undefined;
  };
  if (held.value?.list !== list) return { rows: jobs, waiting: 0, hold, release };
  const known = held.value.jobs;
  const now = new Map(jobs.map((job) => [job.job_id, job]));
  const ids = new Set(known.map(({ job_id }) => job_id));
  const rows = known.map((job) => now.get(job.job_id) ?? job);
  return { rows, waiting: jobs.filter(({ job_id }) => !ids.has(job_id)).length, hold, release };
}

/** Whether the page hears of progress at once, and how many new jobs wait until the pointer leaves the table. */
function Connection({ waiting }: { waiting: number }) {
  const state = connection.value;
  const parts = [
    state === 'idle' ? [] : texts.live[state],
    waiting === 0 ? [] : words.newJobs(count(waiting)),
  ];
  return <span class={`connection ${state}`}>{parts.flat().join('; ')}</span>;
}

type ChoiceProps = {
  name: string;
  value: string | undefined;
  options: [string, string][];
  onChange: (value: string | undefined) => void;
};

function Choice({ name, value, options, onChange }: ChoiceProps) {
  return (
    <label>
      {name}
      <select value={value ?? ''} onChange={(event) => onChange(event.currentTarget.value || undefined)}>
        <option value="">{words.all}</option>
        {options.map(([key, label]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

type TableProps = { jobs: Job[]; chosen: string | undefined; now: number; isFiltered: boolean };

function JobTable({ jobs, chosen, now, isFiltered }: TableProps) {
  const columns: Column<Job>[] = [
    {
      name: words.created,
      value: (job) => job.created_at,
      cell: (job) => moment(job.created_at),
      isWhole: true,
    },
    { name: words.kind, value: (job) => job.kind, cell: (job) => words.kinds[job.kind] ?? job.kind },
    { name: words.status, value: (job) => job.status, cell: (job) => <Status job={job} /> },
    {
      name: words.took,
      value: (job) => tookMs(job, now),
      cell: (job) => duration(tookMs(job, now)),
      isNumber: true,
    },
    {
      name: words.best,
      value: (job) => job.incumbent ?? -1,
      cell: (job) => (job.incumbent === null ? '–' : decimal(job.incumbent)),
      isNumber: true,
    },
    {
      name: words.gap,
      value: (job) => job.gap ?? -1,
      cell: (job) => (job.gap === null ? '–' : percent(job.gap)),
      isNumber: true,
    },
  ];
  if (jobs.length === 0) {
    const command = `curl ${SERVICE}/api/v1/decisions -H 'content-type: application/json' -d '{}'`;
    return isFiltered ? (
      <p>{words.noneFits}</p>
    ) : (
      <Empty title={words.nothing} advice={words.advice} command={command} />
    );
  }
  return (
    <Table
      caption={words.title}
      columns={columns}
      rows={jobs}
      keyOf={({ job_id }) => job_id}
      most={25}
      selected={chosen}
      onSelect={(job) => changeQuery({ job: job === chosen ? undefined : job })}
    />
  );
}

/** The state in words; while it runs, its stage and how far it is. */
function Status({ job }: { job: Job }) {
  if (job.status === 'running') {
    const stage =
      job.stage === null ? words.statuses.running : (texts.progress.stages[job.stage] ?? job.stage);
    return (
      <span class="stage">
        <progress max={1} value={job.progress} aria-label={stage} /> <span>{stage}</span>
      </span>
    );
  }
  if (job.status === 'queued') {
    return <>{job.queue_position ? words.position(count(job.queue_position)) : words.statuses.queued}</>;
  }
  const isBad = job.status === 'failed' || job.solver_status === 'infeasible';
  const text = job.solver_status === 'infeasible' ? words.infeasible : words.statuses[job.status];
  return <span class={isBad ? 'bad' : undefined}>{text}</span>;
}

/** From its start, or while it waits from its creation, to its end or now. */
function tookMs({ created_at, started_at, finished_at }: Job, now: number): number {
  const end = finished_at === null ? now : Date.parse(finished_at);
  return Math.max(0, end - Date.parse(started_at ?? created_at));
}

/** The time, again and again while something runs. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
