CREATE TABLE "schedule_occurrences" (
	"schedule_id" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"outcome" text NOT NULL,
	"job_id" text,
	"decided_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedule_occurrences_schedule_id_due_at_pk" PRIMARY KEY("schedule_id","due_at"),
	CONSTRAINT "schedule_occurrences_outcome" CHECK ("schedule_occurrences"."outcome" in ('job', 'missed', 'overlapped')),
	CONSTRAINT "schedule_occurrences_job_id" CHECK (("schedule_occurrences"."job_id" is not null) = ("schedule_occurrences"."outcome" = 'job'))
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"schedule_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"cron" text NOT NULL,
	"time_zone" text NOT NULL,
	"missed" text NOT NULL,
	"next_at" timestamp (3) with time zone,
	"input" json NOT NULL,
	"input_hash" "bytea" NOT NULL,
	"facts" jsonb NOT NULL,
	"priority" "job_priority" NOT NULL,
	"caller" text NOT NULL,
	"client_id" text NOT NULL,
	"location_count" integer NOT NULL,
	"vehicle_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedules_name" UNIQUE("name"),
	CONSTRAINT "schedules_name_length" CHECK (char_length("schedules"."name") between 1 and 200),
	CONSTRAINT "schedules_missed" CHECK ("schedules"."missed" in ('run_last', 'skip'))
);
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "schedule_id" text;--> statement-breakpoint
ALTER TABLE "schedule_occurrences" ADD CONSTRAINT "schedule_occurrences_schedule_id_schedules_schedule_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "public"."schedules"("schedule_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "schedule_occurrences_job" ON "schedule_occurrences" USING btree ("job_id") WHERE "schedule_occurrences"."job_id" is not null;--> statement-breakpoint
CREATE INDEX "schedule_occurrences_decided" ON "schedule_occurrences" USING btree ("decided_at");--> statement-breakpoint
CREATE INDEX "schedules_next" ON "schedules" USING btree ("next_at") WHERE "schedules"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "jobs_schedule" ON "jobs" USING btree ("schedule_id","created_at","job_id") WHERE "jobs"."schedule_id" is not null;--> statement-breakpoint
CREATE VIEW schedule_summary AS
SELECT s.schedule_id, s.name, s.created_at, s.updated_at, s.cron, s.time_zone, s.missed, s.next_at IS NULL AS paused, s.next_at,
       coalesce(nullif(s.client_id, ''), s.caller) AS caller,
       (SELECT count(*)::integer FROM schedule_occurrences o WHERE o.schedule_id = s.schedule_id AND o.outcome = 'job') AS jobs,
       (SELECT count(*)::integer FROM schedule_occurrences o WHERE o.schedule_id = s.schedule_id AND o.outcome <> 'job') AS passed_over
FROM schedules s;
--> statement-breakpoint
CREATE VIEW schedule_history AS
SELECT o.schedule_id, s.name, o.due_at, o.outcome, o.decided_at, extract(epoch FROM o.decided_at - o.due_at)::double precision AS late_seconds,
       o.job_id, j.status, j.solver_status, j.finished_at, p.plan_id, p.total_cost, p.demand_coverage, p.unmet_demand, p.rebalanced_count
FROM schedule_occurrences o JOIN schedules s ON s.schedule_id = o.schedule_id
LEFT JOIN jobs j ON j.job_id = o.job_id LEFT JOIN plans p ON p.job_id = o.job_id;
--> statement-breakpoint
-- Replaced in place, never dropped: columns and grants stay (docs/analysts.md).
CREATE OR REPLACE VIEW job_history AS
SELECT j.job_id, j.kind, j.request_id, coalesce(nullif(j.client_id, ''), j.caller) AS caller, j.priority::text AS priority, j.location_count, j.vehicle_count,
       j.status, j.solver_status, j.http_status, j.created_at, j.started_at, j.finished_at,
       j.attempts, j.crashes, a.worker_id, a.outcome, a.reason,
       t.total - least(t.total, coalesce(a.working, 0)) AS waiting_seconds,
       CASE WHEN t.total IS NOT NULL THEN least(t.total, coalesce(a.working, 0)) END AS solving_seconds,
       t.total AS total_seconds,
       p.plan_id, j.caller AS address, j.schedule_id
FROM jobs j
LEFT JOIN plans p ON p.job_id = j.job_id
CROSS JOIN LATERAL (
  SELECT (array_agg(worker_id ORDER BY attempt DESC))[1] AS worker_id,
         (array_agg(outcome ORDER BY attempt DESC))[1] AS outcome,
         string_agg('attempt ' || attempt || ': ' || reason, E'\n' ORDER BY attempt) AS reason,
         sum(extract(epoch FROM ended_at - started_at))::double precision AS working,
         max(ended_at) AS ended_at
  FROM job_attempts WHERE job_attempts.job_id = j.job_id) a
-- The end as the worker saw it: storing the plan belongs to the job.
CROSS JOIN LATERAL (
  SELECT CASE WHEN j.finished_at IS NOT NULL
         THEN extract(epoch FROM greatest(j.finished_at, a.ended_at) - j.created_at)::double precision END AS total) t;
--> statement-breakpoint
COMMENT ON VIEW schedule_summary IS 'One row per stored schedule: when it makes decisions, and how many it has made.';
COMMENT ON COLUMN schedule_summary.schedule_id IS 'the schedule; ids sort by time';
COMMENT ON COLUMN schedule_summary.name IS 'its name';
COMMENT ON COLUMN schedule_summary.created_at IS 'when it was stored';
COMMENT ON COLUMN schedule_summary.updated_at IS 'when it was last changed, paused or resumed';
COMMENT ON COLUMN schedule_summary.cron IS 'minute, hour, day of the month, month, day of the week';
COMMENT ON COLUMN schedule_summary.time_zone IS 'the time zone in which cron is read';
COMMENT ON COLUMN schedule_summary.missed IS 'run_last: the last missed occurrence is made up for; skip: none is';
COMMENT ON COLUMN schedule_summary.paused IS 'whether it has no occurrences for now';
COMMENT ON COLUMN schedule_summary.next_at IS 'its next occurrence; null while it is paused';
COMMENT ON COLUMN schedule_summary.caller IS 'who stored it, as job_history.caller';
COMMENT ON COLUMN schedule_summary.jobs IS 'occurrences that made a job, while they are kept';
COMMENT ON COLUMN schedule_summary.passed_over IS 'occurrences that made none, while they are kept; of a long outage only the last hundred';
--> statement-breakpoint
COMMENT ON VIEW schedule_history IS 'One row per occurrence of a stored schedule: whether it made a job, and what came of it.';
COMMENT ON COLUMN schedule_history.schedule_id IS 'the schedule';
COMMENT ON COLUMN schedule_history.name IS 'its name';
COMMENT ON COLUMN schedule_history.due_at IS 'when it was due';
COMMENT ON COLUMN schedule_history.outcome IS 'job: it made a job; missed: no worker was running; overlapped: the job of an earlier occurrence had not ended';
COMMENT ON COLUMN schedule_history.decided_at IS 'when its job was stored, or it was passed over';
COMMENT ON COLUMN schedule_history.late_seconds IS 'from due_at to decided_at';
COMMENT ON COLUMN schedule_history.job_id IS 'its job, a decision; null where it made none';
COMMENT ON COLUMN schedule_history.status IS 'queued, running, completed, failed, cancelled; null without a job, or where it is no longer kept';
COMMENT ON COLUMN schedule_history.solver_status IS 'optimal, feasible, infeasible, error; null before the end and where cancelled';
COMMENT ON COLUMN schedule_history.finished_at IS 'when the job ended; null before';
COMMENT ON COLUMN schedule_history.plan_id IS 'its plan; null where it made none, or the plan is no longer kept';
COMMENT ON COLUMN schedule_history.total_cost IS 'as plan_summary.total_cost; null without a plan, as are the figures that follow';
COMMENT ON COLUMN schedule_history.demand_coverage IS 'share of the planning demand that the plan serves, 0 to 1';
COMMENT ON COLUMN schedule_history.unmet_demand IS 'planning demand that the plan does not serve, in units of demand';
COMMENT ON COLUMN schedule_history.rebalanced_count IS 'vehicles that the plan moves';
COMMENT ON COLUMN job_history.schedule_id IS 'the schedule that made it; null where a request did';
