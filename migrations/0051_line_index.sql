-- The row of a caller, or of a client, was looked up in the index of the line, not by its key, where PostgreSQL thought that both
-- cost the same, as it does while it knows of one caller or of none: then each job that was stored read all that are in the line.
-- Now the line has indexes by expressions, which only those use that ask for these. Two priorities with the same number would share
-- a part of an index, and no more. The functions below are those of `job_format` and `turns`, but for these conditions.
CREATE INDEX "caller_turns_place" ON "caller_turns" USING btree (hashenum("priority"),"seconds","since");--> statement-breakpoint
CREATE INDEX "client_turns_place" ON "client_turns" USING btree (hashenum("priority"),("caller" || ''),"seconds","since");--> statement-breakpoint
CREATE OR REPLACE FUNCTION claim_job(
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
      WHERE hashenum(t.priority) = hashenum(c.priority) AND t.caller || '' = c.caller
        AND t.priority = c.priority
      ORDER BY t.seconds, t.since LIMIT 1) w
    WHERE hashenum(c.priority) = hashenum(line.priority) AND c.priority = line.priority AND (most IS NULL
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
-- Removes callers that have nothing to do in a line and are not ahead of it.
CREATE OR REPLACE FUNCTION drop_idle_turns(line job_priority, first_ones integer) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
  reached double precision := (SELECT p.virtual_seconds FROM priority_lines p WHERE p.priority = line);
  idle record;
BEGIN
  FOR idle IN
    SELECT f.caller FROM (
      SELECT c.caller FROM caller_turns c
      WHERE hashenum(c.priority) = hashenum(line) AND c.priority = line AND c.seconds <= reached
      ORDER BY c.seconds, c.since LIMIT first_ones) f
    WHERE is_idle(line, f.caller, null)
  LOOP
    PERFORM FROM caller_turns c WHERE c.priority = line AND c.caller = idle.caller FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT found;
    DELETE FROM caller_turns c WHERE c.priority = line AND c.caller = idle.caller AND is_idle(line, c.caller, null);
  END LOOP;
END $$;--> statement-breakpoint
-- The same for the clients of a caller.
CREATE OR REPLACE FUNCTION drop_idle_clients(line job_priority, of_caller text, first_ones integer) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
  reached double precision := (
    SELECT c.virtual_seconds FROM caller_turns c WHERE c.priority = line AND c.caller = of_caller);
  idle record;
BEGIN
  FOR idle IN
    SELECT f.client_id FROM (
      SELECT t.client_id FROM client_turns t
      WHERE hashenum(t.priority) = hashenum(line) AND t.caller || '' = of_caller AND t.priority = line AND t.seconds <= reached
      ORDER BY t.seconds, t.since LIMIT first_ones) f
    WHERE is_idle(line, of_caller, f.client_id)
  LOOP
    PERFORM FROM client_turns t
    WHERE t.priority = line AND t.caller = of_caller AND t.client_id = idle.client_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT found;
    DELETE FROM client_turns t WHERE t.priority = line AND t.caller = of_caller AND t.client_id = idle.client_id
      AND is_idle(line, of_caller, t.client_id);
  END LOOP;
END $$;--> statement-breakpoint
-- contract after 0016_turns: only the functions above used them, in all versions, and they use the new ones
DROP INDEX "caller_turns_line", "client_turns_line";--> statement-breakpoint
INSERT INTO schema_needs VALUES (1795351603404) ON CONFLICT DO NOTHING;
