import type { Progress } from '../api/live.ts';
import { decimal } from '../format.ts';
import { texts } from '../texts.ts';

/** The report of a running job, and the button that cancels it. Its size never changes. */
export function Running({ progress, onCancel }: { progress: Progress | undefined; onCancel?: () => void }) {
  const { stage = null, incumbent = null, bound = null } = progress ?? {};
  const words = stage === null ? texts.progress.starting : (texts.progress.stages[stage] ?? stage);
  return (
    <div class="running">
      <progress max={1} value={progress?.progress ?? 0} aria-label={words} />
      <span>{words}</span>
      <span class="quiet">
        {incumbent !== null && bound !== null && texts.progress.cost(decimal(incumbent), decimal(bound))}
      </span>
      {onCancel && (
        <button type="button" onClick={onCancel}>
          {texts.progress.cancel}
        </button>
      )}
    </div>
  );
}
