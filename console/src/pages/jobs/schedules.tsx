import { useSignal } from '@preact/signals';
import { announce } from '../../announce.ts';
import { changeSchedule, deleteSchedule, listSchedules, readSchedule } from '../../api/schedules.ts';
import type { Schedule, ScheduleSummary } from '../../api/types.ts';
import { momentIn } from '../../format.ts';
import { addressOf, changeQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { useLoad } from '../../ui/load.ts';
import { Failure, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

const words = texts.schedules;
/** Number of the newest occurrences that are shown. */
const MOST_OCCURRENCES = 10;

/** Decisions that are made again and again. Nothing is shown while there are none: they are made by the API. */
export function Schedules({ chosen }: { chosen: string | undefined }) {
  const { data, error, reload } = useLoad(listSchedules, []);
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (!data || (data.length === 0 && chosen === undefined)) return null;
  const columns: Column<ScheduleSummary>[] = [
    { name: words.name, value: ({ name }) => name, cell: ({ name }) => name },
    {
      name: words.times,
      cell: ({ cron, time_zone }) => (
        <>
          <code>{cron}</code> {time_zone}
        </>
      ),
    },
    { name: words.next, value: ({ next_at }) => next_at ?? '', cell: nextOf },
  ];
  return (
    <section aria-label={words.title}>
      <h2>{words.title}</h2>
      <div class="columns">
        <Table
          caption={words.title}
          columns={columns}
          rows={data}
          keyOf={({ schedule_id }) => schedule_id}
          selected={chosen}
          onSelect={(id) => changeQuery({ schedule: id === chosen ? undefined : id })}
        />
        {chosen !== undefined && <Detail key={chosen} id={chosen} onChange={reload} />}
      </div>
    </section>
  );
}

function nextOf({ next_at, time_zone, paused_because }: ScheduleSummary): string {
  if (next_at !== null) return momentIn(time_zone, next_at);
  return paused_because === undefined ? words.paused : words.pausedByService;
}

/** One schedule: pause it, delete it, and what became of its newest occurrences. */
function Detail({ id, onChange }: { id: string; onChange: () => void }) {
  const { data, error, reload } = useLoad((signal) => readSchedule(id, signal), [id]);
  const fault = useSignal<unknown>(undefined);
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  const { name, paused, paused_because } = data;
  const pause = async () => {
    fault.value = undefined;
    try {
      await changeSchedule(id, { paused: !paused });
      announce(paused ? words.isResumed(name) : words.isPaused(name));
      onChange();
      reload();
    } catch (refused) {
      fault.value = refused;
    }
  };
  const forget = () => {
    onChange();
    changeQuery({ schedule: undefined });
  };
  return (
    <section class="detail" aria-label={name}>
      <h2>{name}</h2>
      <p>
        <code>{id}</code>
      </p>
      {paused_because !== undefined && <p>{words.pausedBecause(paused_because)}</p>}
      <div class="tools-row">
        <button type="button" onClick={pause}>
          {paused ? words.resume : words.pause}
        </button>
        <DeleteButton
          title={name}
          question={words.deleteQuestion(name)}
          remove={() => deleteSchedule(id)}
          onDeleted={forget}
        />
      </div>
      {fault.value !== undefined && <Failure error={fault.value} />}
      <Occurrences schedule={data} />
    </section>
  );
}

function Occurrences({ schedule: { occurrences, time_zone } }: { schedule: Schedule }) {
  if (occurrences.length === 0) return <p class="quiet">{words.noneYet}</p>;
  return (
    <ul>
      {occurrences.slice(0, MOST_OCCURRENCES).map(({ due_at, outcome, job_id, status }) => (
        <li key={due_at}>
          {momentIn(time_zone, due_at)}:{' '}
          {job_id === null ? (
            words.outcomes[outcome]
          ) : (
            <a href={addressOf('', { decision: job_id })}>
              {words.decided(texts.jobs.statuses[status ?? ''] ?? '')}
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
