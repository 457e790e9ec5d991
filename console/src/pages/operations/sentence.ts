import type { OperationsReport } from '../../api/types.ts';
import { count, duration } from '../../format.ts';
import { texts } from '../../texts.ts';

const words = texts.operations;

/** Sums of a report that the sentence and the figures share. */
export function totalsOf({ workers, queue, last_hour: hour }: OperationsReport) {
  const alive = workers.filter((worker) => worker.is_alive);
  const sum = <T>(rows: T[], value: (row: T) => number) => rows.reduce((all, row) => all + value(row), 0);
  return {
    alive: alive.length,
    slots: sum(alive, ({ slots }) => slots),
    waiting: sum(queue, ({ jobs }) => jobs),
    oldestSeconds: Math.max(0, ...queue.map(({ oldest_seconds }) => oldest_seconds)),
    ended: sum(hour, ({ completed, failed, cancelled }) => completed + failed + cancelled),
    failed: sum(hour, ({ failed }) => failed),
  };
}

/** Whether the service keeps up, in words. */
export function sentenceOf(report: OperationsReport): string {
  const { alive, waiting, oldestSeconds, ended, failed } = totalsOf(report);
  const now = words.sentence(count(alive), count(report.running));
  const queue = waiting === 0 ? words.noneWaits : words.waits(count(waiting), duration(oldestSeconds * 1000));
  return `${now} ${queue} ${words.hour(count(ended), count(failed))}`;
}
