CREATE TABLE "api_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"tier" text NOT NULL,
	"owner" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_name" CHECK (char_length("api_keys"."name") between 1 and 200),
	CONSTRAINT "api_keys_secret_hash" CHECK (octet_length("api_keys"."secret_hash") = 32),
	CONSTRAINT "api_keys_role" CHECK ("api_keys"."role" in ('viewer', 'planner', 'operator')),
	CONSTRAINT "api_keys_tier" CHECK ("api_keys"."tier" in ('default', 'premium', 'enterprise'))
);
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "replays" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "owner" text;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_owner" ON "jobs" USING btree ("owner","created_at","job_id") WHERE "jobs"."owner" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "plans_owner" ON "plans" USING btree ("owner","created_at","plan_id") WHERE "plans"."owner" is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "replays_owner" ON "replays" USING btree ("owner","created_at","replay_id") WHERE "replays"."owner" is not null;--> statement-breakpoint
COMMENT ON COLUMN job_history.caller IS 'who asked: X-Client-Id of the request, else its key or subject, without authentication its address';
COMMENT ON COLUMN job_history.address IS 'who takes turns with whom: the owner of the key or the subject; without authentication an IPv4 address, the /64 network of an IPv6 one';
