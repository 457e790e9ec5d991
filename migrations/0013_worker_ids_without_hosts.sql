-- Callers read worker_id and reason: from here on they name a worker as process:random, without its host. What runs keeps
-- its worker_id, by which its worker finds it again.
UPDATE job_attempts SET worker_id = regexp_replace(worker_id, '^.*:([0-9]+:[0-9a-f]{12})$', '\1'),
  reason = regexp_replace(reason, '^worker \S+:([0-9]+:[0-9a-f]{12}) ', 'worker \1 ')
WHERE ended_at IS NOT NULL AND worker_id ~ ':[0-9]+:[0-9a-f]{12}$';
--> statement-breakpoint
UPDATE jobs SET worker_id = regexp_replace(worker_id, '^.*:([0-9]+:[0-9a-f]{12})$', '\1')
WHERE status <> 'running' AND worker_id ~ ':[0-9]+:[0-9a-f]{12}$';
--> statement-breakpoint
COMMENT ON COLUMN job_history.worker_id IS 'worker of the last attempt: process:random; the worker''s log says on which host';
