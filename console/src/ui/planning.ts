import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../announce.ts';
import type { DecisionAnswer, DecisionBody } from '../api/decisions.ts';
import type { Progress } from '../api/live.ts';
import { runJob } from '../api/run-job.ts';
import { count, percent } from '../format.ts';
import { changeQuery } from '../router.ts';
import { texts } from '../texts.ts';

/**
 * Makes a new decision and goes to it, where `cleared` of the address does not hold. A second one cancels the first.
 * Leaving the page does not cancel it: the jobs show it.
 */
export function usePlanning(cleared: Record<string, undefined> = {}) {
  const isRunning = useSignal(false);
  const progress = useSignal<Progress | undefined>(undefined);
  const fault = useSignal<unknown>(undefined);
  /** The latest request. */
  const asked = useSignal<DecisionBody>({});
  const control = useRef<AbortController>(undefined);
  const isOpen = useRef(true);
  const start = async (body: DecisionBody) => {
    control.current?.abort();
    const own = new AbortController();
    control.current = own;
    isRunning.value = true;
    progress.value = undefined;
    fault.value = undefined;
    asked.value = body;
    try {
      const { data } = await runJob<DecisionAnswer>('/api/v1/decisions', body, {
        signal: own.signal,
        onProgress: (latest) => {
          progress.value = latest;
        },
      });
      const { kpis } = data.plan;
      announce(texts.today.announced(percent(kpis.demand_coverage), count(kpis.rebalanced_count)));
      if (isOpen.current) changeQuery({ ...cleared, decision: data.decision_id }, 'push');
    } catch (error) {
      if (own.signal.aborted) announce(texts.today.cancelled);
      else fault.value = error;
    } finally {
      if (control.current === own) isRunning.value = false;
    }
  };
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return { isRunning, progress, fault, asked, start, cancel: () => control.current?.abort() };
}
export type Planning = ReturnType<typeof usePlanning>;
