import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../../announce.ts';
import { FleetError } from '../../api/client.ts';
import { storeCsv } from '../../api/data.ts';
import { count, decimal } from '../../format.ts';
import { texts } from '../../texts.ts';
import { Failure } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { type DataSet, SETS, type SetName } from './sets.ts';

const words = texts.data.drop;
/** The service names no more faults than these. */
const MOST_FAULTS = 100;

type State =
  | { is: 'waiting' }
  | { is: 'sending'; file: File; control: AbortController }
  | { is: 'stored'; text: string }
  | { is: 'several' }
  | { is: 'refused'; file: File; error: unknown };

/**
 * Takes a CSV of one kind of data, dropped anywhere on the page or chosen, and says what was stored, or every fault by
 * its line. The browser sends the file from the disk: it is never read into the page.
 */
export function Drop({ name, onStored }: { name: SetName; onStored: () => void }) {
  const set: DataSet = SETS[name];
  const state = useSignal<State>({ is: 'waiting' });
  const isOver = useSignal(false);
  const sending = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => sending.current?.abort(), []);
  const store = async (file: File | undefined) => {
    if (!file || state.value.is === 'sending') return;
    const control = new AbortController();
    sending.current = control;
    state.value = { is: 'sending', file, control };
    try {
      const { created, updated } = await storeCsv(set.method, set.path, file, control.signal);
      const text = words.stored(file.name, count(created), count(updated));
      state.value = { is: 'stored', text };
      announce(text);
      onStored();
    } catch (error) {
      state.value = control.signal.aborted ? { is: 'waiting' } : { is: 'refused', file, error };
      if (error instanceof FleetError) announce(refusalOf(file, error));
    }
  };
  useDroppedFiles(isOver, (files) => {
    if (files.length === 1) void store(files[0]);
    else if (state.value.is !== 'sending') state.value = { is: 'several' };
  });
  const now = state.value;
  return (
    <section class={`drop${isOver.value ? ' over' : ''}`} aria-labelledby="drop-title">
      <h2 id="drop-title">{words.title(texts.data.sets[name])}</h2>
      <label>
        {words.advice}
        <input
          type="file"
          aria-label={words.choose}
          accept=".csv,.gz,text/csv"
          disabled={now.is === 'sending'}
          onChange={(event) => {
            const input = event.currentTarget;
            // The same file can be chosen again once it is corrected.
            void store(input.files?.[0]).finally(() => (input.value = ''));
          }}
        />
      </label>
      <p class="quiet">
        {words.columns} <code>{set.csv}</code>
      </p>
      <p class="quiet">{words.rule}</p>
      {now.is === 'sending' && (
        <div class="running">
          <progress aria-label={words.sending(now.file.name, sizeOf(now.file))} />
          {words.sending(now.file.name, sizeOf(now.file))}
          <button type="button" onClick={() => now.control.abort()}>
            {words.cancel}
          </button>
        </div>
      )}
      {now.is === 'stored' && <p class="stored">{now.text}</p>}
      {now.is === 'several' && (
        <p class="fault-line" role="alert">
          {words.several}
        </p>
      )}
      {now.is === 'refused' && <Refusal file={now.file} error={now.error} />}
    </section>
  );
}

/** Files that are dropped on the page. Left to itself the browser would open them in its place. */
function useDroppedFiles(isOver: Signal<boolean>, take: (files: readonly File[]) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const listening = new AbortController();
    const on = (type: 'dragover' | 'dragleave' | 'drop', heard: (event: DragEvent) => void) => {
      const listen = (event: DragEvent) => {
        if (event.dataTransfer?.types.includes('Files')) heard(event);
      };
      window.addEventListener(type, listen, { signal: listening.signal });
    };
    on('dragover', (event) => {
      event.preventDefault();
      isOver.value = true;
    });
    // Beyond the window there is nothing that is entered instead.
    on('dragleave', ({ relatedTarget }) => {
      if (!relatedTarget) isOver.value = false;
    });
    on('drop', (event) => {
      event.preventDefault();
      isOver.value = false;
      latest.current([...event.dataTransfer!.files]);
    });
    return () => listening.abort();
  }, []);
}

const sizeOf = ({ size }: File) =>
  size < 1e6 ? `${count(Math.ceil(size / 1e3))} kB` : `${decimal(size / 1e6)} MB`;

function refusalOf(file: File, { details }: FleetError): string {
  const isMore = details.length >= MOST_FAULTS;
  const faults = isMore ? words.faultsOrMore(count(details.length)) : words.faults(details.length);
  return words.refused(file.name, faults);
}

/** The faults of a file in the service's own words. */
function Refusal({ file, error }: { file: File; error: unknown }) {
  if (!(error instanceof FleetError)) return <Failure error={error} />;
  const faults = error.details.map((fault, i) => ({ ...fault, key: String(i) }));
  const title = refusalOf(file, error);
  return (
    <div class="refusal">
      <h3>{title}</h3>
      <Table
        caption={title}
        rows={faults}
        keyOf={({ key }) => key}
        most={20}
        columns={[
          { name: words.line, cell: ({ field }) => field ?? '–' },
          { name: words.fault, cell: ({ message }) => message },
        ]}
      />
    </div>
  );
}
