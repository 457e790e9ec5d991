import { useSignal } from '@preact/signals';
import { announce } from '../../announce.ts';
import { FleetError } from '../../api/client.ts';
import { deleteRow } from '../../api/data.ts';
import { texts } from '../../texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import { type DataRow, pathOf, SETS, type SetName } from './sets.ts';

const words = texts.data;

type Props = { name: SetName; row: DataRow; title: string; onDeleted: () => void };

/** Deletes one row when asked twice. A location that still has data goes with all of it, when asked a third time. */
export function Delete({ name, row, title, onDeleted }: Props) {
  const isAsking = useSignal(false);
  const fault = useSignal<unknown>(undefined);
  const remove = async (more = '') => {
    fault.value = undefined;
    try {
      await deleteRow(`${pathOf(SETS[name], row)}${more}`);
      isAsking.value = false;
      announce(words.deleted(title));
      onDeleted();
    } catch (error) {
      fault.value = error;
    }
  };
  const hasData = fault.value instanceof FleetError && fault.value.code === 'CONFLICT';
  return (
    <>
      <button type="button" onClick={() => (isAsking.value = true)}>
        {words.delete}
      </button>
      <Dialog isOpen={isAsking} title={words.deleteOne(title)}>
        <p>{name === 'events' ? words.deleteEvent(title) : words.deleteRow(title)}</p>
        {fault.value !== undefined && <Failure error={fault.value} />}
        <div class="tools-row">
          <button type="button" class="primary" onClick={() => remove(hasData ? '?cascade=true' : '')}>
            {hasData ? words.deleteWhole : words.delete}
          </button>
          <button type="button" onClick={() => (isAsking.value = false)}>
            {words.keep}
          </button>
        </div>
      </Dialog>
    </>
  );
}
