ALTER TABLE "jobs" ADD COLUMN "packed_input" "bytea";--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "packed_result" "bytea";--> statement-breakpoint
-- They are compressed: PostgreSQL would try in vain.
ALTER TABLE "jobs" ALTER COLUMN "packed_input" SET STORAGE EXTERNAL, ALTER COLUMN "packed_result" SET STORAGE EXTERNAL;
