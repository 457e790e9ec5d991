import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../../announce.ts';
import { get } from '../../api/client.ts';
import { follow, type Progress } from '../../api/live.ts';
import type { Job } from '../../api/types.ts';
import { texts } from '../../texts.ts';

const SHOWN = 50;
/** `follow` tells of the jobs that are followed; new ones are looked for this often. */
const LOOK_MS = 3000;

export type Filter = { status?: string | undefined; kind?: string | undefined };

/** Cost of the best plan and bound, each time they were reported; seconds since the job was first seen. */
export type Sample = { seconds: number; incumbent: number; bound: number };

export const isOpen = ({ status }: Job) => status === 'queued' || status === 'running';

/** The newest jobs. Those that are open are followed until they end. */
export function useLiveJobs(filter: Filter) {
  const jobs = useSignal<Job[] | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const samples = useSignal<Map<string, Sample[]>>(new Map());
  const look = useRef(async () => {});
  useEffect(() => {
    const control = new AbortController();
    const followed = new Map<string, () => void>();
    const change = (jobId: string, fields: Partial<Job>) => {
      jobs.value = jobs.peek()?.map((job) => (job.job_id === jobId ? { ...job, ...fields } : job));
    };
    const begin = (job: Job) => {
      const seenAt = performance.now();
      const stop = follow(job.job_id, {
        onProgress(progress) {
          change(job.job_id, fieldsOf(progress));
          const { incumbent, bound } = progress;
          if (incumbent === null || bound === null) return;
          const sample = { seconds: (performance.now() - seenAt) / 1000, incumbent, bound };
          const all = new Map(samples.peek());
          samples.value = all.set(job.job_id, [...(all.get(job.job_id) ?? []), sample]);
        },
        onEnd() {
          followed.delete(job.job_id);
          announce(texts.jobs.ended(texts.jobs.kinds[job.kind] ?? job.kind));
          look.current();
        },
      });
      followed.set(job.job_id, stop);
    };
    look.current = async () => {
      const search = new URLSearchParams({ limit: String(SHOWN) });
      for (const [name, value] of Object.entries(filter)) if (value) search.set(name, value);
      try {
        const page = await get<{ jobs: Job[] }>(`/api/v1/jobs?${search}`, control.signal);
        jobs.value = page.jobs;
        error.value = undefined;
        for (const job of page.jobs) if (isOpen(job) && !followed.has(job.job_id)) begin(job);
      } catch (fault) {
        if (!control.signal.aborted) error.value = fault;
      }
    };
    look.current();
    const timer = setInterval(() => document.visibilityState === 'visible' && look.current(), LOOK_MS);
    return () => {
      clearInterval(timer);
      control.abort();
      for (const stop of followed.values()) stop();
    };
  }, [filter.status, filter.kind]);
  return { jobs: jobs.value, error: error.value, samples: samples.value, look: () => look.current() };
}

/** A running job reports; what it had reported before it began is older than the list. */
function fieldsOf({ progress, stage, incumbent, bound, gap }: Progress): Partial<Job> {
  const isRunning = stage !== null || progress > 0;
  return { progress, stage, incumbent, bound, gap, ...(isRunning && { status: 'running' as const }) };
}
