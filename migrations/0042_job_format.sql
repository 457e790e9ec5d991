CREATE TABLE "schema_needs" (
	"migration" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "format" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "format" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Claims the next job: of the highest priority (or `first`) the caller that has used least and may run one more, of its
-- clients the one that has used least, of that one's jobs the oldest. Claims come one after the other, and each statement
-- below sees what the claims before did: so the turns are exact, and the limit, too. Nothing else waits for the lock.
-- It is held for less than a millisecond, and never while a slow worker reads: what is large is not returned. Jobs in a
-- format that the worker does not know wait for a worker that does.
CREATE FUNCTION claim_job(
  by_worker text, first job_priority, running_per_caller integer, lock_seconds double precision, known_format smallint
) RETURNS TABLE (
  job_id text, kind text, attempt integer, crashes integer, cancel_requested boolean, request_id text, facts jsonb,
  is_large boolean, input text, locations text
) LANGUAGE plpgsql
-- By index, whatever the planner thinks of tables that grow from nothing to thousands of rows within a second.
SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  most integer;
  line record;
  next record;
BEGIN
  -- "FLEC" in ASCII. A crash of PostgreSQL may undo a claim: it does not wait for the disk.
  PERFORM set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(1179403587);
  PERFORM settle_turns();
  most := running_limit(running_per_caller, lock_seconds);
  FOR line IN
    SELECT p.priority, p.virtual_seconds FROM priority_lines p
    ORDER BY coalesce(p.priority = first, false) DESC, p.priority DESC
  LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM jobs j WHERE j.status = 'queued' AND j.priority = line.priority);
    SELECT c.caller, w.client_id, w.job_id, w.expected_seconds AS charge,
      -- Whoever was idle starts where the line is: nothing is saved up. Whoever has waited since it was served keeps its place.
      line_start(c.seconds, line.virtual_seconds, c.served_at, w.created_at) AS start,
      line_start(w.seconds, c.virtual_seconds, w.served_at, w.created_at) AS client_start
    INTO next
    FROM caller_turns c CROSS JOIN LATERAL (
      SELECT t.client_id, t.seconds, t.expected_seconds, t.served_at, q.job_id, q.created_at
      FROM client_turns t CROSS JOIN LATERAL (
        SELECT j.job_id, j.created_at FROM jobs j
        WHERE j.status = 'queued' AND j.priority = t.priority AND j.caller = t.caller AND j.client_id = t.client_id
          AND (j.retry_at IS NULL OR j.retry_at <= now()) AND j.format <= known_format
        -- `no key update`: a row that a foreign key check holds is still free to be claimed.
        ORDER BY j.created_at, j.job_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) q
      WHERE t.priority = c.priority AND t.caller = c.caller
      ORDER BY t.seconds, t.since LIMIT 1) w
    WHERE c.priority = line.priority AND (most IS NULL
      OR (SELECT count(*) FROM jobs r WHERE r.status = 'running' AND r.caller = c.caller) < most)
    ORDER BY c.seconds, c.since LIMIT 1;
    CONTINUE WHEN NOT found;
    -- The line is where its caller is that is served. It also moves on by half a share of a second: those who come anew, one
    -- after the other without end, start behind those who have waited since they were served last.
    UPDATE priority_lines p SET virtual_seconds = greatest(p.virtual_seconds, next.start)
      + least(next.charge, 1) / (2 * count_callers(line.priority))
    WHERE p.priority = line.priority;
    UPDATE caller_turns c SET seconds = next.start + next.charge, served_at = now(),
      virtual_seconds = greatest(c.virtual_seconds, next.client_start)
        + least(next.charge, 1) / (2 * count_clients(line.priority, next.caller))
    WHERE c.priority = line.priority AND c.caller = next.caller;
    UPDATE client_turns t SET seconds = next.client_start + next.charge, served_at = now()
    WHERE t.priority = line.priority AND t.caller = next.caller AND t.client_id = next.client_id;
    RETURN QUERY
      WITH claimed AS (
        UPDATE jobs j SET status = 'running', worker_id = by_worker, attempts = j.attempts + 1, heartbeat_at = now(),
          started_at = coalesce(j.started_at, now()), retry_at = null
        WHERE j.job_id = next.job_id
        RETURNING j.*),
      opened AS (
        INSERT INTO job_attempts (job_id, attempt, worker_id, charged_seconds)
        SELECT c.job_id, c.attempts, by_worker, next.charge FROM claimed c),
      sized AS (
        -- The first look is at the size on disk, and reads nothing.
        SELECT c.*, CASE WHEN pg_column_size(c.input) > 8192 OR pg_column_size(c.locations) > 8192 THEN true
          ELSE octet_length(c.input::text) + coalesce(octet_length(c.locations::text), 0) > 65536 END AS is_large
        FROM claimed c)
      SELECT s.job_id, s.kind, s.attempts, s.crashes, s.cancel_requested, s.request_id, s.facts, s.is_large,
        CASE WHEN NOT s.is_large THEN s.input::text END, CASE WHEN NOT s.is_large THEN s.locations::text END
      FROM sized s;
    PERFORM drop_idle_turns(line.priority, 5), drop_idle_clients(line.priority, next.caller, 5);
    RETURN;
  END LOOP;
END $$;--> statement-breakpoint
-- The workers of versions before this one call it so: they know the first format only.
CREATE OR REPLACE FUNCTION claim_job(
  by_worker text, first job_priority, running_per_caller integer, lock_seconds double precision
) RETURNS TABLE (
  job_id text, kind text, attempt integer, crashes integer, cancel_requested boolean, request_id text, facts jsonb,
  is_large boolean, input text, locations text
) LANGUAGE sql AS $$
  SELECT * FROM claim_job(by_worker, first, running_per_caller, lock_seconds, 0::smallint)
$$;--> statement-breakpoint
-- A worker of a version before this one makes the job of a schedule without its format.
CREATE FUNCTION take_schedule_format() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.format := greatest(new.format, (SELECT s.format FROM schedules s WHERE s.schedule_id = new.schedule_id));
  RETURN new;
END $$;--> statement-breakpoint
CREATE TRIGGER jobs_schedule_format BEFORE INSERT ON jobs
FOR EACH ROW WHEN (new.schedule_id IS NOT NULL) EXECUTE FUNCTION take_schedule_format();
