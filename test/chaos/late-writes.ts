import type { Finding } from './check.ts';

type Query = <R extends Record<string, unknown>>(text: string) => Promise<R[]>;

/**
 * Makes PostgreSQL itself record every write to a row that has ended. A job with a result never changes again. In an
 * ended attempt only two things may change: the reason of a crash (by a worker that lost its claim and was alive) and
 * the account that its time was charged to.
 */
export async function watchLateWrites(query: Query): Promise<void> {
  await query(
    `create table chaos_late_writes (at timestamptz default clock_timestamp(), what text, job_id text)`,
  );
  await query(`create function chaos_note_late_write() returns trigger language plpgsql as $$
    begin
      insert into chaos_late_writes (what, job_id) values (tg_op || ' of ' || tg_table_name, old.job_id);
      return null;
    end $$`);
  await query(`create function chaos_note_late_replay() returns trigger language plpgsql as $$
    begin
      insert into chaos_late_writes (what, job_id) values (tg_op || ' of ' || tg_table_name, old.replay_id);
      return null;
    end $$`);
  await query(`create trigger chaos_job_ended after update or delete on jobs
    for each row when (old.finished_at is not null) execute function chaos_note_late_write()`);
  await query(`create trigger chaos_attempt_ended after update on job_attempts for each row
    when (old.ended_at is not null and (
      (old.job_id, old.attempt, old.worker_id, old.started_at, old.ended_at, old.outcome, old.phases)
        is distinct from (new.job_id, new.attempt, new.worker_id, new.started_at, new.ended_at, new.outcome, new.phases)
      or (old.reason is distinct from new.reason and old.outcome <> 'crashed')))
    execute function chaos_note_late_write()`);
  await query(`create trigger chaos_attempt_gone after delete on job_attempts
    for each row execute function chaos_note_late_write()`);
  await query(`create trigger chaos_replay_changed after update or delete on replays
    for each row execute function chaos_note_late_replay()`);
  await query(`create trigger chaos_plan_changed after update or delete on plans
    for each row execute function chaos_note_late_write()`);
}

/** Adds a finding for each recorded write. */
export async function findLateWrites(query: Query, findings: Finding[]): Promise<void> {
  const rows = await query<{ what: string; job_id: string; at: Date }>(
    'select what, job_id, at from chaos_late_writes order by at',
  );
  for (const { what, job_id, at } of rows) {
    findings.push({ message: `after its end: ${what} at ${at.toISOString()}`, jobId: job_id });
  }
}
