-- All tables but those of the queue order (0001_queue) and of travel's versions (0002_travel_versions).
-- src/db/schema.ts says what each column means; comments here say what Drizzle cannot express, and why it is so.
-- Times have milliseconds: JavaScript has no more, so what was read equals what is stored.

-- What plans are made of

CREATE TABLE locations (
  id integer PRIMARY KEY,
  name text NOT NULL,
  latitude double precision NOT NULL,
  longitude double precision NOT NULL,
  time_zone text,
  active boolean NOT NULL DEFAULT true,
  expected_daily_demand double precision,
  priority smallint NOT NULL DEFAULT 0,
  CONSTRAINT locations_latitude CHECK (latitude BETWEEN -90 AND 90),
  CONSTRAINT locations_longitude CHECK (longitude BETWEEN -180 AND 180),
  CONSTRAINT locations_expected_daily_demand CHECK (expected_daily_demand BETWEEN 0 AND 24000000),
  CONSTRAINT locations_priority CHECK (priority BETWEEN 0 AND 9),
  CONSTRAINT locations_name CHECK (char_length(name) BETWEEN 1 AND 200)
);

CREATE TABLE vehicles (
  vehicle_id text PRIMARY KEY,
  location_id integer NOT NULL CONSTRAINT vehicles_location_id_locations_id_fk REFERENCES locations,
  status text NOT NULL,
  capacity double precision NOT NULL,
  acquired_on date,
  last_maintenance_on date,
  utilization_rate double precision,
  available_at timestamp (3) with time zone,
  CONSTRAINT vehicles_status CHECK (status IN ('operational', 'maintenance', 'downtime')),
  CONSTRAINT vehicles_capacity CHECK (capacity BETWEEN 0.000001 AND 1000000000),
  CONSTRAINT vehicles_utilization_rate CHECK (utilization_rate BETWEEN 0 AND 1),
  CONSTRAINT vehicles_id CHECK (char_length(vehicle_id) BETWEEN 1 AND 128),
  CONSTRAINT vehicles_acquired_on CHECK (acquired_on BETWEEN '1900-01-01' AND '2199-12-31'),
  CONSTRAINT vehicles_last_maintenance_on CHECK (last_maintenance_on BETWEEN '1900-01-01' AND '2199-12-31')
);
CREATE INDEX vehicles_location ON vehicles (location_id);

-- The key carries the demand, so that a history is read from the index alone: rows of a location lie far apart in the
-- table, since they arrive hour by hour (src/db/README.md has the measurement). Only pages that a vacuum has seen need
-- no look at the table. By default a vacuum comes after every fifth row is new, which for years of history is months.
CREATE TABLE demand_observations (
  location_id integer NOT NULL CONSTRAINT demand_observations_location_id_locations_id_fk REFERENCES locations,
  hour timestamp (3) with time zone NOT NULL,
  demand double precision NOT NULL,
  CONSTRAINT demand_observations_location_id_hour_pk PRIMARY KEY (location_id, hour) INCLUDE (demand),
  CONSTRAINT demand_observations_demand CHECK (demand BETWEEN 0 AND 1000000),
  CONSTRAINT demand_observations_years CHECK (hour BETWEEN '1970-01-01T00:00Z' AND '2199-12-31T23:00Z'),
  CONSTRAINT demand_observations_hour CHECK (hour = date_trunc('hour', hour, 'UTC'))
) WITH (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 120000);

CREATE TABLE demand_revision (
  single boolean PRIMARY KEY DEFAULT true,
  revision integer NOT NULL,
  CONSTRAINT demand_revision_single CHECK (single)
);
INSERT INTO demand_revision (revision) VALUES (0);

CREATE TABLE demand_events (
  event_id text PRIMARY KEY,
  location_id integer CONSTRAINT demand_events_location_id_locations_id_fk REFERENCES locations,
  starts_at timestamp (3) with time zone NOT NULL,
  ends_at timestamp (3) with time zone NOT NULL,
  kind text NOT NULL,
  factor double precision,
  name text,
  CONSTRAINT demand_events_id CHECK (char_length(event_id) BETWEEN 1 AND 128),
  CONSTRAINT demand_events_kind CHECK (char_length(kind) BETWEEN 1 AND 64),
  CONSTRAINT demand_events_name CHECK (char_length(name) BETWEEN 1 AND 200),
  CONSTRAINT demand_events_factor CHECK (factor BETWEEN 0 AND 100),
  CONSTRAINT demand_events_order CHECK (starts_at < ends_at),
  CONSTRAINT demand_events_years CHECK (starts_at >= '1970-01-01T00:00Z' AND ends_at <= '2199-12-31T23:00Z'),
  CONSTRAINT demand_events_hours CHECK (
    starts_at = date_trunc('hour', starts_at, 'UTC') AND ends_at = date_trunc('hour', ends_at, 'UTC'))
);
CREATE INDEX demand_events_location ON demand_events (location_id, ends_at);

-- No foreign keys in these two: checking them takes 5 times as long as storing 4 million pairs.
CREATE TABLE travel (
  from_location_id integer NOT NULL,
  to_location_id integer NOT NULL,
  distance_km double precision NOT NULL,
  duration_minutes double precision NOT NULL,
  CONSTRAINT travel_from_location_id_to_location_id_pk PRIMARY KEY (from_location_id, to_location_id),
  CONSTRAINT travel_distance_km CHECK (distance_km BETWEEN 0 AND 1000000),
  CONSTRAINT travel_duration_minutes CHECK (duration_minutes BETWEEN 0 AND 1000000)
);

CREATE TABLE trip_flows (
  from_location_id integer NOT NULL,
  to_location_id integer NOT NULL,
  hour_of_week smallint,
  trips double precision NOT NULL,
  CONSTRAINT trip_flows_key UNIQUE NULLS NOT DISTINCT (from_location_id, to_location_id, hour_of_week),
  CONSTRAINT trip_flows_hour_of_week CHECK (hour_of_week BETWEEN 0 AND 167),
  CONSTRAINT trip_flows_trips CHECK (trips BETWEEN 0 AND 1000000000000)
);

-- Jobs

-- An enum sorts as listed: from the least urgent to the most urgent.
CREATE TYPE job_priority AS ENUM ('low', 'normal', 'high');

CREATE TABLE jobs (
  job_id text PRIMARY KEY,
  kind text NOT NULL DEFAULT 'optimize',
  status text NOT NULL,
  request_id text NOT NULL,
  input json,
  packed_input bytea,
  locations json,
  travel_revision integer,
  progress double precision NOT NULL DEFAULT 0,
  stage text,
  incumbent double precision,
  bound double precision,
  gap double precision,
  iterations integer,
  solver_status text,
  priority job_priority NOT NULL DEFAULT 'normal',
  caller text NOT NULL DEFAULT 'unknown',
  client_id text NOT NULL DEFAULT '',
  facts jsonb NOT NULL DEFAULT '{}',
  attempts integer NOT NULL DEFAULT 0,
  crashes integer NOT NULL DEFAULT 0,
  retry_at timestamp (3) with time zone,
  worker_id text,
  heartbeat_at timestamp (3) with time zone,
  cancel_requested boolean NOT NULL DEFAULT false,
  http_status integer,
  result json,
  packed_result bytea,
  idempotency_key text,
  idempotency_expires_at timestamp (3) with time zone,
  input_hash bytea NOT NULL,
  location_count integer NOT NULL DEFAULT 0,
  vehicle_count integer NOT NULL DEFAULT 0,
  size_class smallint GENERATED ALWAYS AS
    (64 * round(log(2.0, location_count + 1)) + round(log(2.0, vehicle_count + 1))) STORED,
  created_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  started_at timestamp (3) with time zone,
  finished_at timestamp (3) with time zone,
  schedule_id text,
  owner text,
  format smallint NOT NULL DEFAULT 1,
  CONSTRAINT jobs_status CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  CONSTRAINT jobs_kind CHECK (kind IN ('optimize', 'backtest', 'decision', 'replay')),
  CONSTRAINT jobs_caller CHECK (length(caller) BETWEEN 1 AND 128),
  CONSTRAINT jobs_client_id CHECK (length(client_id) <= 128),
  CONSTRAINT jobs_attempts CHECK (attempts >= 0 AND crashes BETWEEN 0 AND attempts),
  CONSTRAINT jobs_retry CHECK (retry_at IS NULL OR status = 'queued'),
  CONSTRAINT jobs_idempotency CHECK ((idempotency_key IS NULL) = (idempotency_expires_at IS NULL)),
  CONSTRAINT jobs_size CHECK (location_count >= 0 AND vehicle_count >= 0),
  CONSTRAINT jobs_solver_status CHECK (solver_status IN ('optimal', 'feasible', 'infeasible', 'error')),
  CONSTRAINT jobs_progress CHECK (progress BETWEEN 0 AND 1),
  CONSTRAINT jobs_ended CHECK (
    (status IN ('completed', 'failed', 'cancelled')) = (finished_at IS NOT NULL)
    AND (finished_at IS NULL) = (result IS NULL) AND (result IS NULL) = (http_status IS NULL))
);
-- The service has compressed them: PostgreSQL would try in vain. (CREATE TABLE can say so only since PostgreSQL 16.)
ALTER TABLE jobs
  ALTER COLUMN packed_input SET STORAGE EXTERNAL,
  ALTER COLUMN packed_result SET STORAGE EXTERNAL;

CREATE UNIQUE INDEX jobs_idempotency_key ON jobs (idempotency_key) WHERE idempotency_key IS NOT NULL;
-- The order in which the jobs of one client are claimed.
CREATE INDEX jobs_waiting ON jobs (priority, caller, client_id, created_at, job_id) WHERE status = 'queued';
CREATE INDEX jobs_running ON jobs (caller, priority, client_id) WHERE status = 'running';
CREATE INDEX jobs_like_size ON jobs (kind, size_class, finished_at) WHERE status = 'completed';
CREATE INDEX jobs_finished ON jobs (finished_at, job_id) WHERE finished_at IS NOT NULL;
CREATE INDEX jobs_input ON jobs (finished_at) WHERE finished_at IS NOT NULL AND input IS NOT NULL;
CREATE INDEX jobs_travel_revision ON jobs (travel_revision)
  WHERE finished_at IS NULL AND travel_revision IS NOT NULL;
CREATE INDEX jobs_schedule ON jobs (schedule_id, created_at, job_id) WHERE schedule_id IS NOT NULL;
-- For lists, newest first. What is rare has an index of its own, also what is rare with one owner and not with others:
-- without it, a list would read everything until it has enough.
CREATE INDEX jobs_created ON jobs (created_at, job_id);
CREATE INDEX jobs_kind ON jobs (kind, created_at, job_id);
CREATE INDEX jobs_status_created ON jobs (status, created_at, job_id)
  WHERE status IN ('completed', 'failed', 'cancelled');
CREATE INDEX jobs_solver_status_created ON jobs (solver_status, created_at, job_id)
  WHERE solver_status IS NOT NULL;
CREATE INDEX jobs_owner ON jobs (owner, created_at, job_id) WHERE owner IS NOT NULL;
CREATE INDEX jobs_owner_kind ON jobs (owner, kind, created_at, job_id) WHERE owner IS NOT NULL;
CREATE INDEX jobs_owner_status ON jobs (owner, status, created_at, job_id)
  WHERE owner IS NOT NULL AND status IN ('completed', 'failed', 'cancelled');
CREATE INDEX jobs_owner_solver_status ON jobs (owner, solver_status, created_at, job_id)
  WHERE owner IS NOT NULL AND solver_status IS NOT NULL;

CREATE TABLE job_attempts (
  job_id text NOT NULL CONSTRAINT job_attempts_job_id_jobs_job_id_fk REFERENCES jobs ON DELETE CASCADE,
  attempt integer NOT NULL,
  worker_id text NOT NULL,
  started_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  ended_at timestamp (3) with time zone,
  outcome text,
  reason text,
  phases jsonb,
  charged_seconds double precision,
  CONSTRAINT job_attempts_job_id_attempt_pk PRIMARY KEY (job_id, attempt),
  CONSTRAINT job_attempts_attempt CHECK (attempt >= 1),
  CONSTRAINT job_attempts_outcome CHECK (outcome IN ('completed', 'failed', 'cancelled', 'released', 'crashed')),
  CONSTRAINT job_attempts_ended CHECK ((ended_at IS NULL) = (outcome IS NULL)),
  CONSTRAINT job_attempts_phases CHECK (jsonb_typeof(phases) = 'array')
);
CREATE INDEX job_attempts_charged ON job_attempts (job_id, attempt) WHERE charged_seconds IS NOT NULL;

-- What a job's first attempt read, so that later attempts plan with the same data. Deleted after the job's end.

CREATE TABLE job_previous (
  job_id text NOT NULL CONSTRAINT job_previous_job_id_jobs_job_id_fk REFERENCES jobs ON DELETE CASCADE,
  first_ordinal integer NOT NULL,
  vehicle_ids text[] NOT NULL,
  target_locations integer[] NOT NULL,
  CONSTRAINT job_previous_job_id_first_ordinal_pk PRIMARY KEY (job_id, first_ordinal)
);

CREATE TABLE job_trips (
  job_id text NOT NULL CONSTRAINT job_trips_job_id_jobs_job_id_fk REFERENCES jobs ON DELETE CASCADE,
  piece integer NOT NULL,
  counts bytea NOT NULL,
  CONSTRAINT job_trips_job_id_piece_pk PRIMARY KEY (job_id, piece)
);

CREATE TABLE job_replays (
  job_id text PRIMARY KEY CONSTRAINT job_replays_job_id_jobs_job_id_fk REFERENCES jobs ON DELETE CASCADE,
  version integer NOT NULL,
  inputs bytea NOT NULL
);

-- The bytes of the bodies that a caller stored as jobs in a day (UTC): a row per connection, so that requests that are
-- stored at once rarely wait for each other.
CREATE TABLE caller_bytes (
  caller text NOT NULL,
  day date NOT NULL,
  slot smallint NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT caller_bytes_caller_day_slot_pk PRIMARY KEY (caller, day, slot)
);

CREATE TABLE decisions (
  decision_id text PRIMARY KEY
    CONSTRAINT decisions_decision_id_jobs_job_id_fk REFERENCES jobs ON DELETE CASCADE,
  created_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  start_date date NOT NULL,
  start_hour integer NOT NULL DEFAULT 0,
  time_zone text NOT NULL,
  horizon_hours integer NOT NULL,
  step_hours integer NOT NULL,
  vehicle_count integer NOT NULL,
  left_out_count integer NOT NULL,
  request json NOT NULL,
  fleet json NOT NULL,
  risk json NOT NULL,
  forecast json NOT NULL,
  locations json,
  CONSTRAINT decisions_start_hour CHECK (start_hour BETWEEN 0 AND 23),
  CONSTRAINT decisions_vehicles CHECK (left_out_count BETWEEN 0 AND vehicle_count)
);

-- What jobs make. No foreign keys to jobs: a plan or a replay may be kept longer than the record of its job.

CREATE TABLE plans (
  plan_id text PRIMARY KEY,
  job_id text NOT NULL,
  created_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  solver_status text NOT NULL,
  gap double precision,
  total_cost double precision NOT NULL,
  demand_coverage double precision NOT NULL,
  utilization double precision NOT NULL,
  rebalanced_count integer NOT NULL,
  total_distance_km double precision,
  total_minutes double precision,
  unmet_demand double precision NOT NULL,
  unmet_demand_cost double precision,
  vehicle_count integer NOT NULL,
  solve_time_ms double precision NOT NULL,
  certificate json NOT NULL,
  findings json,
  insights json,
  moved_locations integer[] NOT NULL DEFAULT '{}',
  location_ids integer[] NOT NULL DEFAULT '{}',
  location_names text[] NOT NULL DEFAULT '{}',
  location_demands double precision[] NOT NULL DEFAULT '{}',
  location_vehicles_before integer[] NOT NULL DEFAULT '{}',
  location_vehicles_after integer[] NOT NULL DEFAULT '{}',
  location_capacities double precision[] NOT NULL DEFAULT '{}',
  location_served double precision[] NOT NULL DEFAULT '{}',
  location_priorities smallint[],
  speed_kmh double precision NOT NULL DEFAULT 20,
  move_sources integer[],
  move_targets integer[],
  move_km double precision[],
  move_minutes double precision[],
  owner text,
  schedule_id text,
  CONSTRAINT plans_solver_status CHECK (solver_status IN ('optimal', 'feasible')),
  CONSTRAINT plans_locations CHECK (
    array[cardinality(location_names), cardinality(location_demands), cardinality(location_vehicles_before),
      cardinality(location_vehicles_after), cardinality(location_capacities), cardinality(location_served)]
    = array_fill(cardinality(location_ids), array[6])),
  CONSTRAINT plans_location_priorities CHECK (cardinality(location_priorities) = cardinality(location_ids)),
  CONSTRAINT plans_moves CHECK (
    array[cardinality(move_targets), cardinality(move_km)] = array_fill(cardinality(move_sources), array[2])),
  CONSTRAINT plans_move_minutes CHECK (cardinality(move_minutes) = cardinality(move_sources))
);
-- One job, one plan: the last safeguard against a second worker.
CREATE UNIQUE INDEX plans_job ON plans (job_id);
CREATE INDEX plans_created ON plans (created_at, plan_id);
CREATE INDEX plans_owner ON plans (owner, created_at, plan_id) WHERE owner IS NOT NULL;
CREATE INDEX plans_schedule ON plans (schedule_id, created_at, plan_id) WHERE schedule_id IS NOT NULL;
CREATE INDEX plans_cost ON plans (total_cost);
CREATE INDEX plans_coverage ON plans (demand_coverage);
CREATE INDEX plans_moved_locations ON plans USING gin (moved_locations);

CREATE TABLE plan_parts (
  plan_id text NOT NULL,
  first_ordinal integer NOT NULL,
  vehicle_ids text[] NOT NULL,
  source_locations integer[] NOT NULL,
  target_locations integer[] NOT NULL,
  costs double precision[] NOT NULL,
  CONSTRAINT plan_parts_plan_id_first_ordinal_pk PRIMARY KEY (plan_id, first_ordinal),
  CONSTRAINT plan_parts_lengths CHECK (
    cardinality(vehicle_ids) = cardinality(source_locations)
    AND cardinality(vehicle_ids) = cardinality(target_locations) AND cardinality(vehicle_ids) = cardinality(costs))
);

CREATE TABLE removed_plans (
  plan_id text PRIMARY KEY
);

CREATE TABLE replays (
  replay_id text PRIMARY KEY,
  request_id text NOT NULL,
  created_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  summary json NOT NULL,
  data json NOT NULL,
  owner text
);
CREATE INDEX replays_created ON replays (created_at, replay_id);
CREATE INDEX replays_owner ON replays (owner, created_at, replay_id) WHERE owner IS NOT NULL;

-- Schedules

CREATE TABLE schedules (
  schedule_id text PRIMARY KEY,
  name text NOT NULL,
  cron text NOT NULL,
  time_zone text NOT NULL,
  missed text NOT NULL,
  next_at timestamp (3) with time zone,
  input json NOT NULL,
  input_hash bytea NOT NULL,
  facts jsonb NOT NULL,
  priority job_priority NOT NULL,
  caller text NOT NULL,
  client_id text NOT NULL,
  location_count integer NOT NULL,
  vehicle_count integer NOT NULL,
  format smallint NOT NULL DEFAULT 1,
  created_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  owner text,
  paused_because text,
  CONSTRAINT schedules_name UNIQUE (name),
  CONSTRAINT schedules_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
  CONSTRAINT schedules_missed CHECK (missed IN ('run_last', 'skip'))
);
CREATE INDEX schedules_next ON schedules (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE schedule_occurrences (
  schedule_id text NOT NULL
    CONSTRAINT schedule_occurrences_schedule_id_schedules_schedule_id_fk REFERENCES schedules ON DELETE CASCADE,
  due_at timestamp (3) with time zone NOT NULL,
  outcome text NOT NULL,
  job_id text,
  decided_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  -- The last safeguard against a second job for an occurrence.
  CONSTRAINT schedule_occurrences_schedule_id_due_at_pk PRIMARY KEY (schedule_id, due_at),
  CONSTRAINT schedule_occurrences_outcome CHECK (outcome IN ('job', 'missed', 'overlapped')),
  CONSTRAINT schedule_occurrences_job_id CHECK ((job_id IS NOT NULL) = (outcome = 'job'))
);
CREATE UNIQUE INDEX schedule_occurrences_job ON schedule_occurrences (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX schedule_occurrences_decided ON schedule_occurrences (decided_at);

-- Webhooks

CREATE TABLE webhooks (
  webhook_id text PRIMARY KEY,
  url text NOT NULL,
  events text[] NOT NULL,
  description text NOT NULL DEFAULT '',
  active boolean NOT NULL DEFAULT true,
  switched_off_because text,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_until timestamp (3) with time zone,
  created_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_url CHECK (char_length(url) BETWEEN 1 AND 2000),
  CONSTRAINT webhooks_description CHECK (char_length(description) BETWEEN 0 AND 500),
  CONSTRAINT webhooks_events CHECK (cardinality(events) > 0),
  CONSTRAINT webhooks_previous_secret CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL))
);

-- No foreign key to webhooks: the end of a job must never wait for the removal of a webhook, or fail because of it.
CREATE TABLE webhook_deliveries (
  delivery_id text PRIMARY KEY,
  webhook_id text NOT NULL,
  event text NOT NULL,
  job_id text NOT NULL,
  data json NOT NULL,
  status text NOT NULL DEFAULT 'waiting',
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  next_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  retry_until timestamp (3) with time zone NOT NULL DEFAULT now() + interval '1 day',
  ended_at timestamp (3) with time zone,
  last_attempt_at timestamp (3) with time zone,
  last_http_status integer,
  last_answer text,
  last_error text,
  CONSTRAINT webhook_deliveries_status CHECK (status IN ('waiting', 'delivered', 'dead')),
  CONSTRAINT webhook_deliveries_ended CHECK ((ended_at IS NULL) = (status = 'waiting'))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created_at);
-- For lists, also by status: nearly all are delivered, or, of a receiver that is always away, none.
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, created_at, delivery_id);
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (webhook_id, status, created_at, delivery_id)
  WHERE status <> 'delivered';
CREATE INDEX webhook_deliveries_delivered ON webhook_deliveries (webhook_id, created_at, delivery_id)
  WHERE status = 'delivered';

-- Access

CREATE TABLE api_keys (
  key_id text PRIMARY KEY,
  secret_hash bytea NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  tier text NOT NULL,
  owner text NOT NULL,
  created_at timestamp (3) with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp (3) with time zone,
  revoked_at timestamp (3) with time zone,
  CONSTRAINT api_keys_name CHECK (char_length(name) BETWEEN 1 AND 200),
  CONSTRAINT api_keys_secret_hash CHECK (octet_length(secret_hash) = 32),
  CONSTRAINT api_keys_role CHECK (role IN ('viewer', 'planner', 'operator')),
  CONSTRAINT api_keys_tier CHECK (tier IN ('default', 'premium', 'enterprise'))
);

-- Unlogged: a crash of PostgreSQL forgets the counts of the present window, and nothing waits for the disk.
CREATE UNLOGGED TABLE request_counts (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);

CREATE TABLE audit_log (
  audit_id text PRIMARY KEY,
  at timestamp (3) with time zone NOT NULL DEFAULT clock_timestamp(),
  actor text NOT NULL,
  key_id text,
  address text,
  operation text NOT NULL,
  method text,
  path text,
  resource_id text,
  job_id text,
  request_id text,
  http_status integer
);
CREATE INDEX audit_log_at ON audit_log (at, audit_id);
CREATE INDEX audit_log_actor ON audit_log (actor, at, audit_id);
CREATE INDEX audit_log_operation ON audit_log (operation, at, audit_id);

-- The service itself

CREATE TABLE schema_needs (
  migration bigint PRIMARY KEY
);

CREATE TABLE event_secret (
  single boolean PRIMARY KEY DEFAULT true,
  secret bytea NOT NULL,
  CONSTRAINT event_secret_single CHECK (single)
);
-- Two random UUIDs: 244 bits of the system's source of randomness.
INSERT INTO event_secret (secret) VALUES (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- What processes do one at a time (src/db/locks.ts). Rows, not advisory locks: those are open to every role of the
-- database. Rows, not tables: `PREPARE` locks a table for whoever may name it.
CREATE TABLE service_locks (
  name text PRIMARY KEY
);
INSERT INTO service_locks VALUES
  ('claims'), ('cleaning'), ('schedules'), ('travel_packs'), ('travel_versions'), ('webhooks');

-- Large values are compressed by lz4 where this PostgreSQL was built with it: that takes a fraction of the time of
-- PostgreSQL's own method, and somewhat more space. What is stored stays as it is. After a move to such a build,
-- operators call the function once more (docs/operator/deployment.md). `jobs` is locked last, as every call needs it.
CREATE FUNCTION compress_with_lz4() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  large record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_settings s WHERE s.name = 'default_toast_compression' AND 'lz4' = ANY (s.enumvals)) THEN
    RETURN;
  END IF;
  FOR large IN
    SELECT a.attrelid::regclass AS table, a.attname AS column FROM pg_attribute a
    WHERE a.attrelid = ANY ('{jobs,job_trips,job_previous,job_replays,decisions,plans,plan_parts,
      replays,schedules,webhook_deliveries}'::regclass[])
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attstorage = 'x' AND a.attcompression <> 'l'
    ORDER BY a.attrelid = 'jobs'::regclass, a.attrelid, a.attnum
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION lz4', large.table, large.column);
  END LOOP;
END $$;
SELECT compress_with_lz4();
