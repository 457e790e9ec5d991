import { useEffect, useMemo, useRef } from 'preact/hooks';
import { get } from '../../api/client.ts';
import type { OperationsReport } from '../../api/types.ts';
import { Lines } from '../../charts/lines.tsx';
import { count, duration, moment } from '../../format.ts';
import { addressOf } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Figure } from '../../ui/figure.tsx';
import { useLoad } from '../../ui/load.ts';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Outside } from './outside.tsx';
import { sentenceOf, totalsOf } from './sentence.ts';

const words = texts.operations;
const LOOK_MS = 3000;
const STEP_MINUTES = 5;

type Worker = OperationsReport['workers'][number];
type RunningJob = OperationsReport['running_jobs'][number];

type Read = { report: OperationsReport; at: string };

/** Whether the service keeps up: workers, queue, and what the last hour brought. */
export default function Operations() {
  const { data, error, isLoading, reload } = useLoad(async (signal): Promise<Read> => {
    const report = await get<OperationsReport>('/api/v1/operations', signal);
    return { report, at: new Date().toISOString() };
  }, []);
  // The last answer stays while the service does not answer; so does the fault while the service is asked again.
  const known = useRef<{ read?: Read | undefined; fault?: unknown }>({});
  if (!isLoading) known.current = { read: data ?? known.current.read, fault: error };
  const { read, fault } = known.current;
  useEffect(() => {
    if (isLoading || !read) return;
    const timer = setTimeout(reload, LOOK_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);
  if (!read) return fault === undefined ? <Loading /> : <Failure error={fault} onRetry={reload} />;
  const { report, at } = read;
  return (
    <div class="page">
      <h1>{sentenceOf(report)}</h1>
      <Figures report={report} />
      <Hour steps={report.last_hour} />
      <section class="steady">
        <h2>{words.workers}</h2>
        <Workers workers={report.workers} jobs={report.running_jobs} />
      </section>
      <section>
        <h2>{words.queue}</h2>
        <Queue queue={report.queue} />
      </section>
      <section>
        <h2>{words.failedJobs}</h2>
        <Failed jobs={report.failed_jobs} />
      </section>
      <Outside />
      {fault !== undefined && (
        <div class="notice">
          <p>{words.notCurrent(moment(at))}</p>
          <Failure error={fault} onRetry={reload} />
        </div>
      )}
    </div>
  );
}

function Figures({ report }: { report: OperationsReport }) {
  const { alive, slots, waiting, oldestSeconds, ended, failed } = totalsOf(report);
  return (
    <dl class="figures">
      <Figure label={words.workersAlive} value={count(alive)} />
      <Figure label={words.running} value={count(report.running)} note={words.slots(count(slots))} />
      <Figure label={words.waiting} value={count(waiting)} note={words.limit(count(report.queue_limit))} />
      <Figure label={words.oldest} value={waiting === 0 ? '–' : duration(oldestSeconds * 1000)} />
      <Figure label={words.ended} value={count(ended)} note={words.inHour} />
      <Figure label={words.failed} value={count(failed)} note={words.inHour} />
    </dl>
  );
}

/** Jobs that ended in the last hour, and how long they had waited. */
function Hour({ steps }: { steps: OperationsReport['last_hour'] }) {
  const { xs, ended, waits } = useMemo(() => {
    const now = Date.parse(steps.at(-1)!.starts_at) + STEP_MINUTES * 60_000;
    return {
      xs: steps.map(({ starts_at }) => Math.round((Date.parse(starts_at) - now) / 60_000)),
      ended: [
        { name: words.done, values: steps.map((step) => step.completed), colour: '--amount', isBars: true },
        { name: words.bad, values: steps.map((step) => step.failed), colour: '--short' },
      ],
      waits: [
        {
          name: words.median,
          values: steps.map((step) => step.median_wait_seconds),
          colour: '--amount',
          hasPoints: true,
        },
        {
          name: words.p95,
          values: steps.map((step) => step.p95_wait_seconds),
          colour: '--text',
          isDashed: true,
          hasPoints: true,
        },
      ],
    };
  }, [steps]);
  if (ended.every(({ values }) => values.every((value) => value === 0))) {
    return <p class="quiet">{words.noneEnded}</p>;
  }
  const common = { xs, xName: words.from, writeX: (x: number) => words.ago(count(-x)), height: 160 };
  return (
    <>
      <section>
        <h2>{words.throughput}</h2>
        <Lines {...common} label={words.throughput} lines={ended} />
      </section>
      <section>
        <h2>{words.waitTimes}</h2>
        <Lines
          {...common}
          label={words.waitTimes}
          lines={waits}
          writeY={(seconds) => duration(seconds * 1000)}
        />
      </section>
    </>
  );
}

function Workers({ workers, jobs }: { workers: Worker[]; jobs: RunningJob[] }) {
  const jobsOf = ({ worker_id }: Worker) => jobs.filter((job) => job.worker_id === worker_id);
  if (workers.length === 0) {
    return <Empty title={words.noWorker} advice={words.noWorkerAdvice} command={words.startWorker} />;
  }
  const columns: Column<Worker>[] = [
    {
      name: words.worker,
      value: nameOf,
      cell: (worker) => <code title={worker.worker_id}>{nameOf(worker)}</code>,
    },
    {
      name: words.state,
      value: ({ is_alive }) => Number(is_alive),
      cell: ({ is_alive }) => (
        <span class={is_alive ? undefined : 'bad'}>{is_alive ? words.alive : words.silent}</span>
      ),
    },
    {
      name: words.since,
      value: ({ started_at }) => started_at,
      cell: ({ started_at }) => moment(started_at),
    },
    {
      name: words.lastSeen,
      value: ({ last_seen_at }) => last_seen_at,
      cell: ({ last_seen_at }) => moment(last_seen_at),
    },
    {
      name: words.runs,
      value: (worker) => jobsOf(worker).length,
      cell: (worker) => <RunningJobs jobs={jobsOf(worker)} slots={worker.slots} />,
    },
  ];
  return (
    <Table
      caption={words.workers}
      columns={columns}
      rows={workers}
      keyOf={({ worker_id }) => worker_id}
      most={25}
    />
  );
}

/** The process, and enough of the id to tell it from others of the same number on other machines. */
const nameOf = ({ worker_id }: Worker) => worker_id.replace(/:.*(.{6})$/, ' …$1');

function RunningJobs({ jobs, slots }: { jobs: RunningJob[]; slots: number }) {
  if (jobs.length === 0) return <span class="quiet">{words.idle(count(slots))}</span>;
  return (
    <>
      {jobs.map(({ job_id, kind, stage, running_seconds }) => (
        <div key={job_id}>
          <a href={addressOf('jobs', { job: job_id })}>{texts.jobs.kinds[kind] ?? kind}</a>{' '}
          {stage === null ? '' : `${texts.progress.stages[stage] ?? stage}, `}
          {words.runsFor(duration(running_seconds * 1000))}
        </div>
      ))}
    </>
  );
}

function Queue({ queue }: { queue: OperationsReport['queue'] }) {
  type Row = OperationsReport['queue'][number];
  const columns: Column<Row>[] = [
    { name: words.priority, cell: ({ priority }) => words.priorities[priority] },
    { name: words.waiting, value: ({ jobs }) => jobs, cell: ({ jobs }) => count(jobs), isNumber: true },
    {
      name: words.oldest,
      value: ({ oldest_seconds }) => oldest_seconds,
      cell: ({ jobs, oldest_seconds }) => (jobs === 0 ? '–' : duration(oldest_seconds * 1000)),
      isNumber: true,
    },
  ];
  return <Table caption={words.queue} columns={columns} rows={queue} keyOf={({ priority }) => priority} />;
}

function Failed({ jobs }: { jobs: OperationsReport['failed_jobs'] }) {
  type Row = OperationsReport['failed_jobs'][number];
  if (jobs.length === 0) return <p class="quiet">{words.noneFailed}</p>;
  const columns: Column<Row>[] = [
    {
      name: words.endedAt,
      value: ({ finished_at }) => finished_at,
      cell: ({ finished_at }) => moment(finished_at),
    },
    {
      name: texts.jobs.kind,
      value: ({ kind }) => kind,
      cell: ({ job_id, kind }) => (
        <a href={addressOf('jobs', { job: job_id })}>{texts.jobs.kinds[kind] ?? kind}</a>
      ),
    },
    {
      name: words.attempts,
      value: ({ attempts }) => attempts,
      cell: ({ attempts }) => count(attempts),
      isNumber: true,
    },
    { name: words.reason, cell: ({ message }) => message ?? '–' },
  ];
  return <Table caption={words.failedJobs} columns={columns} rows={jobs} keyOf={({ job_id }) => job_id} />;
}
