CREATE TABLE "caller_bytes" (
	"caller" text NOT NULL,
	"day" date NOT NULL,
	"slot" smallint NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "caller_bytes_caller_day_slot_pk" PRIMARY KEY("caller","day","slot")
);
--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "schedule_id" text;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "plans_schedule" ON "plans" USING btree ("schedule_id","created_at","plan_id") WHERE "plans"."schedule_id" is not null;