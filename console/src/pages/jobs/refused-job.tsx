import { useSignal } from '@preact/signals';
import { type Fault, get, send } from '../../api/client.ts';
import type { Job } from '../../api/types.ts';
import { changeQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Conflict } from '../../ui/conflict.tsx';
import { withSettings } from '../../ui/settings.ts';
import { Failure } from '../../ui/states.tsx';

/** The pages where jobs can be asked for again with other constraints, by kind. */
const PATHS: Record<string, string> = { optimize: '/api/v1/optimize', decision: '/api/v1/decisions' };

/**
 * Why a job has no plan. Each relaxation sends its request again, changed, whoever sent it first, and goes to the new
 * job. The request is read when it is needed: it may be large.
 */
export function RefusedJob({ job, faults }: { job: Job; faults: Fault[] }) {
  const fault = useSignal<unknown>(undefined);
  const isAsked = useSignal(false);
  const again = async (settings: Parameters<typeof withSettings>[1]) => {
    if (isAsked.value) return;
    isAsked.value = true;
    fault.value = undefined;
    try {
      const stored = await get<{ request: object }>(`/api/v1/jobs/${encodeURIComponent(job.job_id)}/request`);
      const { data } = await send<{ job_id: string }>('POST', PATHS[job.kind]!, {
        body: { ...stored.request, ...withSettings(stored.request, settings) },
        headers: { prefer: 'respond-async' },
      });
      changeQuery({ job: data.job_id }, 'push');
    } catch (error) {
      fault.value = error;
    }
    isAsked.value = false;
  };
  return (
    <>
      <Conflict faults={faults} onApply={again} />
      <p class="quiet">{texts.jobs.again}</p>
      {fault.value !== undefined && <Failure error={fault.value} />}
    </>
  );
}

/** Whether buttons can ask for the job again. */
export const canBeRelaxed = ({ kind, solver_status: status }: Job): boolean =>
  status === 'infeasible' && PATHS[kind] !== undefined;
