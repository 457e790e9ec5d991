-- The queue order, and claims. A job waits in the line of its priority. In a line callers take turns by what their jobs
-- have used, and so do the clients of a caller: start-time fair queueing (Goyal, Vin and Cheng 1996). Times of use are
-- "virtual seconds"; a line is where its caller is that is served. docs/client/jobs.md has the order for users.

CREATE TABLE priority_lines (
  priority job_priority PRIMARY KEY,
  virtual_seconds double precision NOT NULL DEFAULT 0
);
INSERT INTO priority_lines (priority) SELECT unnest(enum_range(null::job_priority));

CREATE TABLE caller_turns (
  priority job_priority NOT NULL,
  caller text NOT NULL,
  seconds double precision NOT NULL,
  expected_seconds double precision NOT NULL DEFAULT 1,
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  served_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  virtual_seconds double precision NOT NULL DEFAULT 0,
  CONSTRAINT caller_turns_priority_caller_pk PRIMARY KEY (priority, caller),
  CONSTRAINT caller_turns_expected CHECK (expected_seconds > 0)
);

CREATE TABLE client_turns (
  priority job_priority NOT NULL,
  caller text NOT NULL,
  client_id text NOT NULL,
  seconds double precision NOT NULL,
  expected_seconds double precision NOT NULL DEFAULT 1,
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  served_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT client_turns_priority_caller_client_id_pk PRIMARY KEY (priority, caller, client_id),
  CONSTRAINT client_turns_priority_caller_caller_turns_priority_caller_fk
    FOREIGN KEY (priority, caller) REFERENCES caller_turns ON DELETE CASCADE,
  CONSTRAINT client_turns_expected CHECK (expected_seconds > 0)
);

-- The order of the lines. By expressions, which only those use that ask for these: by plain columns PostgreSQL would
-- also look callers up in them, instead of by the key, while it thinks that both cost the same; then each job that is
-- stored reads all that are in the line. Two priorities with the same hash would share a part of an index, no more.
CREATE INDEX caller_turns_place ON caller_turns (hashenum(priority), seconds, since);
CREATE INDEX client_turns_place ON client_turns (hashenum(priority), (caller || ''), seconds, since);

-- Workers with a recent heartbeat, for the limit of jobs that a caller may run at once.
CREATE TABLE workers (
  worker_id text PRIMARY KEY,
  slots integer NOT NULL,
  heartbeat_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT workers_slots CHECK (slots >= 1)
);

-- A caller that has jobs in a line has a row there, and so has each of its clients: whoever is new starts where the
-- line is. The lock on the rows, which many may hold, keeps `drop_idle_turns` from removing them before the job is
-- seen.
-- By index, as claims are: PostgreSQL plans these statements once for each connection. A plan made while nobody waited
-- would read the whole line for each job that is stored afterwards, until the table is analyzed.
CREATE FUNCTION enter_line() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off AS $$
BEGIN
  LOOP
    PERFORM FROM caller_turns c WHERE c.priority = new.priority AND c.caller = new.caller FOR KEY SHARE;
    EXIT WHEN found;
    INSERT INTO caller_turns (priority, caller, seconds)
    SELECT p.priority, new.caller, p.virtual_seconds FROM priority_lines p WHERE p.priority = new.priority
    ON CONFLICT DO NOTHING;
  END LOOP;
  LOOP
    PERFORM FROM client_turns t
    WHERE t.priority = new.priority AND t.caller = new.caller AND t.client_id = new.client_id FOR KEY SHARE;
    EXIT WHEN found;
    INSERT INTO client_turns (priority, caller, client_id, seconds)
    SELECT c.priority, c.caller, new.client_id, c.virtual_seconds FROM caller_turns c
    WHERE c.priority = new.priority AND c.caller = new.caller
    ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN null;
END $$;
CREATE TRIGGER jobs_enter_line AFTER INSERT OR UPDATE OF status ON jobs
FOR EACH ROW WHEN (new.status = 'queued') EXECUTE FUNCTION enter_line();

-- How many jobs of one caller may run at once; null: any number.
CREATE FUNCTION running_limit(running_per_caller integer, lock_seconds double precision) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce(running_per_caller, (
    SELECT CASE WHEN sum(w.slots) >= 2 THEN sum(w.slots)::integer - 1 END FROM workers w
    WHERE w.heartbeat_at >= now() - make_interval(secs => lock_seconds)));
END $$;

-- Corrects what callers were charged for attempts that have ended since to what these used.
CREATE FUNCTION settle_turns() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ended record;
  job record;
BEGIN
  -- Two queries, not a join: that might go through all jobs to find the few attempts.
  FOR ended IN
    SELECT a.job_id, a.attempt, a.charged_seconds AS charged,
      greatest(0.001, extract(epoch FROM a.ended_at - a.started_at)::double precision) AS used
    FROM job_attempts a WHERE a.charged_seconds IS NOT NULL AND a.ended_at IS NOT NULL
  LOOP
    SELECT j.priority, j.caller, j.client_id INTO job FROM jobs j WHERE j.job_id = ended.job_id;
    UPDATE job_attempts a SET charged_seconds = null WHERE a.job_id = ended.job_id AND a.attempt = ended.attempt;
    UPDATE caller_turns c SET seconds = c.seconds + ended.used - ended.charged, expected_seconds = ended.used
    WHERE c.priority = job.priority AND c.caller = job.caller;
    UPDATE client_turns t SET seconds = t.seconds + ended.used - ended.charged, expected_seconds = ended.used
    WHERE t.priority = job.priority AND t.caller = job.caller AND t.client_id = job.client_id;
  END LOOP;
END $$;

-- Whether a caller, or one of its clients, has nothing in a line that waits or runs. (Not `NOT EXISTS` in the queries:
-- the planner makes a join of it, and reads the whole line.)
CREATE FUNCTION is_idle(line job_priority, of_caller text, of_client text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF of_client IS NULL THEN
    RETURN NOT EXISTS (SELECT FROM jobs j WHERE j.status = 'queued' AND j.priority = line AND j.caller = of_caller)
      AND NOT EXISTS (SELECT FROM jobs j WHERE j.status = 'running' AND j.caller = of_caller AND j.priority = line);
  END IF;
  RETURN NOT EXISTS (SELECT FROM jobs j
      WHERE j.status = 'queued' AND j.priority = line AND j.caller = of_caller AND j.client_id = of_client)
    AND NOT EXISTS (SELECT FROM jobs j
      WHERE j.status = 'running' AND j.caller = of_caller AND j.priority = line AND j.client_id = of_client);
END $$;

-- Removes callers that have nothing to do in a line and are not ahead of it: they would start where it is, and so will
-- they when they come back. Looks at the first ones. In two steps: nobody stores a job for a row that is locked, and
-- the second look, with a snapshot of its own, sees whatever was stored before.
CREATE FUNCTION drop_idle_turns(line job_priority, first_ones integer) RETURNS void LANGUAGE plpgsql
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
END $$;

-- The same for the clients of a caller.
CREATE FUNCTION drop_idle_clients(line job_priority, of_caller text, first_ones integer) RETURNS void LANGUAGE plpgsql
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
      WHERE hashenum(t.priority) = hashenum(line) AND t.caller || '' = of_caller AND t.priority = line
        AND t.seconds <= reached
      ORDER BY t.seconds, t.since LIMIT first_ones) f
    WHERE is_idle(line, of_caller, f.client_id)
  LOOP
    PERFORM FROM client_turns t
    WHERE t.priority = line AND t.caller = of_caller AND t.client_id = idle.client_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT found;
    DELETE FROM client_turns t WHERE t.priority = line AND t.caller = of_caller AND t.client_id = idle.client_id
      AND is_idle(line, of_caller, t.client_id);
  END LOOP;
END $$;

-- How many callers wait in a line, a hundred at most: from one to the next in the index, past their jobs.
CREATE FUNCTION count_callers(line job_priority) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    WITH RECURSIVE callers AS (
      SELECT ''::text AS caller
      UNION ALL
      SELECT (SELECT j.caller FROM jobs j WHERE j.status = 'queued' AND j.priority = line AND j.caller > c.caller
        ORDER BY j.caller LIMIT 1)
      FROM callers c WHERE c.caller IS NOT NULL)
    -- Without the first row, which is nobody, and the last one, which is null.
    SELECT greatest(1, count(c.caller) - 1) FROM (SELECT caller FROM callers LIMIT 101) c);
END $$;

-- The same for the clients of a caller; the one without a name counts as waiting.
CREATE FUNCTION count_clients(line job_priority, of_caller text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    WITH RECURSIVE clients AS (
      SELECT ''::text AS client_id
      UNION ALL
      SELECT (SELECT j.client_id FROM jobs j
        WHERE j.status = 'queued' AND j.priority = line AND j.caller = of_caller AND j.client_id > c.client_id
        ORDER BY j.client_id LIMIT 1)
      FROM clients c WHERE c.client_id IS NOT NULL)
    SELECT count(c.client_id) FROM (SELECT client_id FROM clients LIMIT 101) c);
END $$;

-- Where in a line the next job of a caller, or of a client, starts: where it is itself if that job has waited since it
-- was served last, else not behind the line. Times of service are kept in milliseconds.
CREATE FUNCTION line_start(
  own double precision, line double precision, served_at timestamptz, waits_since timestamptz
) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN waits_since < served_at + interval '1 millisecond' THEN own ELSE greatest(own, line) END
$$;

-- Makes claims come one after the other. A crash of PostgreSQL may undo a claim: it does not wait for the disk.
CREATE FUNCTION hold_claims() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  held text;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT l.name INTO STRICT held FROM service_locks l WHERE l.name = 'claims' FOR UPDATE;
END $$;

-- Claims the next job: of the highest priority (or `first`) the caller that has used least and may run one more, of its
-- clients the one that has used least, of that one's jobs the oldest. Claims come one after the other, and each
-- statement below sees what the claims before did: so the turns are exact, and the limit, too. Nothing else waits for
-- the lock. It is held for less than a millisecond, and never while a slow worker reads: what is large is not returned.
-- Jobs in a format that the worker does not know wait for a worker that does.
CREATE FUNCTION claim_job(
  by_worker text, first job_priority, running_per_caller integer, lock_seconds double precision, known_format smallint
) RETURNS TABLE (
  job_id text, kind text, attempt integer, crashes integer, request_id text, facts jsonb, is_large boolean,
  input text, locations text
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
  PERFORM hold_claims();
  PERFORM settle_turns();
  most := running_limit(running_per_caller, lock_seconds);
  FOR line IN
    SELECT p.priority, p.virtual_seconds FROM priority_lines p
    ORDER BY coalesce(p.priority = first, false) DESC, p.priority DESC
  LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM jobs j WHERE j.status = 'queued' AND j.priority = line.priority);
    SELECT c.caller, w.client_id, w.job_id, w.expected_seconds AS charge,
      -- Whoever was idle starts where the line is: nothing is saved up. Whoever has waited since it was served keeps
      -- its place.
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
      -- The index of the line, and then the priority itself.
      WHERE hashenum(t.priority) = hashenum(c.priority) AND t.caller || '' = c.caller AND t.priority = c.priority
      ORDER BY t.seconds, t.since LIMIT 1) w
    WHERE hashenum(c.priority) = hashenum(line.priority) AND c.priority = line.priority AND (most IS NULL
      OR (SELECT count(*) FROM jobs r WHERE r.status = 'running' AND r.caller = c.caller) < most)
    ORDER BY c.seconds, c.since LIMIT 1;
    CONTINUE WHEN NOT found;
    -- The line is where its caller is that is served. It also moves on by half a share of a second: those who come
    -- anew, one after the other without end, start behind those who have waited since they were served last.
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
      SELECT s.job_id, s.kind, s.attempts, s.crashes, s.request_id, s.facts, s.is_large,
        CASE WHEN NOT s.is_large THEN s.input::text END, CASE WHEN NOT s.is_large THEN s.locations::text END
      FROM sized s;
    PERFORM drop_idle_turns(line.priority, 5), drop_idle_clients(line.priority, next.caller, 5);
    RETURN;
  END LOOP;
END $$;

-- What time makes void: the end of a busy period, after which all are equal again, and what was used an hour ago.
CREATE FUNCTION tidy_lines() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_claims();
  PERFORM settle_turns();
  UPDATE priority_lines p SET virtual_seconds = greatest(p.virtual_seconds, m.seconds)
  FROM (SELECT c.priority, max(c.seconds) AS seconds FROM caller_turns c GROUP BY c.priority) m
  WHERE m.priority = p.priority
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.status = 'queued' AND j.priority = p.priority)
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.status = 'running' AND j.priority = p.priority);
  UPDATE caller_turns c SET seconds = p.virtual_seconds FROM priority_lines p
  WHERE p.priority = c.priority AND c.seconds > p.virtual_seconds AND c.served_at < now() - interval '1 hour';
END $$;
