import { type Signal, useSignal } from '@preact/signals';
import { announce } from '../announce.ts';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './states.tsx';

const words = texts.deletion;

type Props = {
  title: string;
  question: string;
  /** Label of the button that deletes, after a refusal. */
  label?: (refused: unknown) => string;
  /** @param refused what the attempt before was refused with */
  remove: (refused: unknown) => Promise<void>;
  onDeleted: () => void;
};

/** Deletes what `title` names when it is asked twice. A refusal stands where it was asked. */
export function DeleteButton({ title, question, label, remove, onDeleted }: Props) {
  const isAsking = useSignal(false);
  const refused: Signal<unknown> = useSignal(undefined);
  const attempt = async () => {
    const before = refused.value;
    refused.value = undefined;
    try {
      await remove(before);
      isAsking.value = false;
      announce(words.deleted(title));
      onDeleted();
    } catch (error) {
      refused.value = error;
    }
  };
  return (
    <>
      <button type="button" onClick={() => (isAsking.value = true)}>
        {words.delete}
      </button>
      <Dialog isOpen={isAsking} title={words.title(title)}>
        <p>{question}</p>
        {refused.value !== undefined && <Failure error={refused.value} />}
        <div class="tools-row">
          <button type="button" class="primary" onClick={attempt}>
            {label?.(refused.value) ?? words.delete}
          </button>
          <button type="button" onClick={() => (isAsking.value = false)}>
            {words.keep}
          </button>
        </div>
      </Dialog>
    </>
  );
}
