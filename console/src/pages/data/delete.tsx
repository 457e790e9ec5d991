import { FleetError } from '../../api/client.ts';
import { deleteRow } from '../../api/data.ts';
import { texts } from '../../texts.ts';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { type DataRow, deletionOf, SETS, type SetName } from './sets.ts';

const words = texts.data;

type Props = { name: SetName; row: DataRow; title: string; onDeleted: () => void };

/** Deletes one row when asked twice. A location that still has data goes with all of it, when asked a third time. */
export function Delete({ name, row, title, onDeleted }: Props) {
  const hasData = (refused: unknown) => refused instanceof FleetError && refused.code === 'CONFLICT';
  return (
    <DeleteButton
      title={title}
      question={name === 'events' || name === 'demand' ? words.deleteForecast(title) : words.deleteRow(title)}
      label={(refused) => (hasData(refused) ? words.deleteWhole : texts.deletion.delete)}
      remove={(refused) =>
        deleteRow(`${deletionOf(SETS[name], row)}${hasData(refused) ? '?cascade=true' : ''}`)
      }
      onDeleted={onDeleted}
    />
  );
}
