import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Envelope, get } from '../../api/client.ts';
import { cancelJob } from '../../api/run-job.ts';
import type { Job } from '../../api/types.ts';
import { Lines } from '../../charts/lines.tsx';
import { count, decimal, duration, moment } from '../../format.ts';
import { addressOf } from '../../router.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../ui/load.ts';
import { Failure, Loading } from '../../ui/states.tsx';
import { isOpen, type Sample } from './live-jobs.ts';
import { canBeRelaxed, RefusedJob } from './refused-job.tsx';

const words = texts.jobs;
const PHASE_COLOURS = ['--even', '--spare', '--amount', '--short'];

type Props = {
  jobId: string;
  /** As the list knows it, which follows it. */
  known: Job | undefined;
  samples: Sample[];
  onChange: () => void;
};

/** One job: how far it is, how it came there, and what became of it. */
export function JobDetail({ jobId, known, samples, onChange }: Props) {
  const { data, error, reload } = useLoad(
    (signal) =>
      get<Job & { result?: Envelope<unknown> }>(`/api/v1/jobs/${encodeURIComponent(jobId)}`, signal),
    [jobId, known?.status, known?.stage],
  );
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  const job = known && isOpen(data) ? { ...data, ...known } : data;
  const faults = data.result?.errors ?? [];
  return (
    <section class="detail" aria-label={words.one(words.kinds[job.kind] ?? job.kind)}>
      <h2>{words.one(words.kinds[job.kind] ?? job.kind)}</h2>
      <p>
        <code>{job.job_id}</code>
      </p>
      <p>{job.solver_status === 'infeasible' ? words.infeasible : words.statuses[job.status]}</p>
      {isOpen(job) && <Cancel jobId={jobId} onChange={onChange} />}
      {job.estimate && (
        <p class="quiet">
          {words.estimate(
            duration(job.estimate.p10_seconds * 1000),
            duration(job.estimate.p90_seconds * 1000),
            count(job.estimate.based_on),
          )}
        </p>
      )}
      {faults.length > 0 &&
        (canBeRelaxed(job) ? (
          <RefusedJob job={job} faults={faults} />
        ) : (
          <ul>
            {faults.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        ))}
      <Falling job={job} samples={samples} />
      <Phases job={job} />
      <Attempts job={job} />
      {job.plan_id && (
        <p>
          <a href={addressOf('map', { plan: job.plan_id })}>{words.openPlan}</a>
        </p>
      )}
      {job.kind === 'decision' && job.status === 'completed' && (
        <p>
          <a href={addressOf('', { decision: job.job_id })}>{words.openDecision}</a>
        </p>
      )}
      {job.kind === 'replay' && (
        <p>
          <a href={addressOf('replay', { replay: job.job_id })}>{words.openReplay}</a>
        </p>
      )}
    </section>
  );
}

function Cancel({ jobId, onChange }: { jobId: string; onChange: () => void }) {
  const fault = useSignal<unknown>(undefined);
  const isAsked = useSignal(false);
  const cancel = async () => {
    isAsked.value = true;
    fault.value = undefined;
    try {
      await cancelJob(jobId);
      onChange();
    } catch (error) {
      isAsked.value = false;
      fault.value = error;
    }
  };
  return (
    <>
      <button type="button" disabled={isAsked.value} onClick={cancel}>
        {isAsked.value ? words.cancelling : texts.progress.cancel}
      </button>
      {fault.value !== undefined && <Failure error={fault.value} />}
    </>
  );
}

/** Best plan and bound as they come together, while the job is followed; before and after, the last figures. */
function Falling({ job, samples }: { job: Job; samples: Sample[] }) {
  const xs = useMemo(() => samples.map(({ seconds }) => seconds), [samples]);
  const lines = useMemo(
    () => [
      { name: words.bestPlan, values: samples.map(({ incumbent }) => incumbent), colour: '--amount' },
      { name: words.bound, values: samples.map(({ bound }) => bound), colour: '--text', isDashed: true },
    ],
    [samples],
  );
  if (samples.length > 2) {
    return (
      <Lines
        label={words.falling}
        xs={xs}
        writeX={(seconds) => `${decimal(seconds)} s`}
        xName={words.time}
        lines={lines}
        height={180}
      />
    );
  }
  if (job.incumbent === null || job.bound === null) return null;
  return <p>{texts.progress.cost(decimal(job.incumbent), decimal(job.bound))}</p>;
}

/** The phases of the last attempt as parts of a bar, and in words. */
function Phases({ job }: { job: Job }) {
  const phases = (job.phases ?? []).filter(({ phase }) => phase !== 'finished');
  const total = phases.reduce((sum, { ms }) => sum + (ms ?? 0), 0);
  if (phases.length === 0) return null;
  const colour = (i: number) => `var(${PHASE_COLOURS[i % PHASE_COLOURS.length]})`;
  return (
    <>
      <h3>{words.phases}</h3>
      <div class="phases" aria-hidden="true">
        {phases.map(({ phase, ms }, i) => (
          <i
            key={phase}
            style={{ width: `${(100 * (ms ?? 0)) / Math.max(1, total)}%`, background: colour(i) }}
          />
        ))}
      </div>
      <ul class="phase-names">
        {phases.map(({ phase, ms }, i) => (
          <li key={phase}>
            <i style={{ background: colour(i) }} />{' '}
            {words.phaseNames[phase] ?? texts.progress.stages[phase] ?? phase}:{' '}
            {ms === null ? words.stillRunning : duration(ms)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Attempts({ job }: { job: Job }) {
  const attempts = job.attempt_history ?? [];
  if (attempts.length === 0) return null;
  return (
    <>
      <h3>{words.attempts}</h3>
      <ol>
        {attempts.map(({ attempt, started_at, outcome, reason }) => (
          <li key={attempt}>
            {moment(started_at)}: {outcome === null ? words.statuses.running : words.outcomes[outcome]}
            {reason && <span class="quiet"> {reason}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}
