import { useSignal } from '@preact/signals';
import { announce } from '../../announce.ts';
import type { AuditEntry, Webhook } from '../../api/types.ts';
import { type DeadDelivery, readAudit, readDeadDeliveries, sendAgain } from '../../api/webhooks.ts';
import { count, moment } from '../../format.ts';
import { addressOf } from '../../router.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../ui/load.ts';
import { Failure, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

const words = texts.operations;

/** Events that do not arrive, and changes that others made. Both come at once, so nothing moves. */
export function Outside() {
  const { data, error, reload } = useLoad(async (signal) => {
    const [webhooks, entries] = await Promise.all([readDeadDeliveries(signal), readAudit(signal)]);
    return { ...webhooks, entries };
  }, []);
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  return (
    <>
      <section>
        <h2>{words.webhooks}</h2>
        <Deliveries webhooks={data.webhooks} dead={data.dead} onSent={reload} />
      </section>
      <section>
        <h2>{words.changes}</h2>
        <Changes entries={data.entries} />
      </section>
    </>
  );
}

type DeliveriesProps = { webhooks: Webhook[]; dead: DeadDelivery[]; onSent: () => void };

function Deliveries({ webhooks, dead, onSent }: DeliveriesProps) {
  const sending = useSignal<string | undefined>(undefined);
  const fault = useSignal<unknown>(undefined);
  const again = async (delivery: DeadDelivery) => {
    sending.value = delivery.delivery_id;
    fault.value = undefined;
    try {
      await sendAgain(delivery);
      announce(words.sentAgain);
      onSent();
    } catch (error) {
      fault.value = error;
    } finally {
      sending.value = undefined;
    }
  };
  if (webhooks.length === 0) return <p class="quiet">{words.noWebhook}</p>;
  const off = webhooks.filter(({ active }) => !active).length;
  const columns: Column<DeadDelivery>[] = [
    {
      name: words.happened,
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => moment(created_at),
      isWhole: true,
    },
    {
      name: words.event,
      value: ({ type }) => type,
      cell: ({ type, job_id }) => (
        <a href={addressOf('jobs', { job: job_id })}>{words.events[type] ?? type}</a>
      ),
    },
    { name: words.receiver, value: ({ webhook }) => webhook.url, cell: ({ webhook }) => webhook.url },
    { name: words.attempts, cell: ({ attempts }) => count(attempts), isNumber: true },
    {
      name: words.reason,
      cell: ({ last_error, last_http_status: status }) =>
        last_error ?? (status === null ? '–' : words.answered(String(status))),
    },
    {
      name: words.repair,
      cell: (delivery) => (
        <button
          type="button"
          disabled={sending.value === delivery.delivery_id}
          aria-label={words.sendOneAgain(moment(delivery.created_at))}
          onClick={() => again(delivery)}
        >
          {words.sendAgain}
        </button>
      ),
    },
  ];
  return (
    <>
      <p>{words.webhookSentence(count(webhooks.length), count(off))}</p>
      {dead.length === 0 ? (
        <p class="quiet">{words.noneDead}</p>
      ) : (
        <Table
          caption={words.webhooks}
          columns={columns}
          rows={dead}
          keyOf={({ delivery_id }) => delivery_id}
        />
      )}
      {fault.value !== undefined && <Failure error={fault.value} />}
    </>
  );
}

function Changes({ entries }: { entries: AuditEntry[] }) {
  if (entries.length === 0) return <p class="quiet">{words.noChange}</p>;
  const columns: Column<AuditEntry>[] = [
    { name: words.changedAt, value: ({ at }) => at, cell: ({ at }) => moment(at), isWhole: true },
    { name: words.actor, value: ({ actor }) => actor, cell: ({ actor }) => actor },
    {
      name: words.operation,
      value: ({ operation }) => operation,
      cell: ({ operation }) => <code>{operation}</code>,
    },
    { name: words.resource, cell: ({ resource_id: id }) => (id === null ? '–' : <code>{id}</code>) },
    {
      name: words.answer,
      value: ({ http_status: status }) => status ?? 0,
      cell: ({ http_status: status }) => status ?? '–',
      isNumber: true,
    },
  ];
  return (
    <Table caption={words.changes} columns={columns} rows={entries} keyOf={({ audit_id }) => audit_id} />
  );
}
