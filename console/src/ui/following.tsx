import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { announce } from '../announce.ts';
import { follow, type Progress } from '../api/live.ts';
import { cancelJob } from '../api/run-job.ts';
import { Running } from './running.tsx';
import { Failure } from './states.tsx';

type Props = {
  jobId: string;
  /** Tells a screen reader that it has. */
  ended: string;
  onEnd: () => void;
};

/** How far a job is. It goes on without this page, which finds it again by its address. */
export function Following({ jobId, ended, onEnd }: Props) {
  const progress = useSignal<Progress | undefined>(undefined);
  const fault = useSignal<unknown>(undefined);
  useEffect(() => {
    const end = () => {
      announce(ended);
      onEnd();
    };
    return follow(jobId, {
      onProgress: (latest) => {
        progress.value = latest;
      },
      onEnd: end,
      onFault: end,
    });
  }, [jobId]);
  const cancel = () => {
    cancelJob(jobId).catch((error: unknown) => {
      fault.value = error;
    });
  };
  return (
    <>
      <Running progress={progress.value} onCancel={cancel} />
      {fault.value !== undefined && <Failure error={fault.value} />}
    </>
  );
}
