import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

type Loaded<T> = { data?: T; error?: unknown; isLoading: boolean };

/**
 * Loads something for a component, anew whenever `inputs` change; the load before is aborted, and what it brought
 * stays visible until the new one is there.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]) {
  const state: Signal<Loaded<T>> = useMemo(() => signal({ isLoading: true }), []);
  const again = useMemo(() => signal(0), []);
  useEffect(() => {
    const control = new AbortController();
    const before = state.peek().data;
    state.value = { isLoading: true, ...(before !== undefined && { data: before }) };
    load(control.signal).then(
      (data) => {
        if (!control.signal.aborted) state.value = { data, isLoading: false };
      },
      (error: unknown) => {
        if (!control.signal.aborted) state.value = { error, isLoading: false };
      },
    );
    return () => control.abort();
  }, [...inputs, again.value]);
  return { ...state.value, reload: () => again.value++ };
}
