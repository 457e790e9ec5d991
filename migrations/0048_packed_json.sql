ALTER TABLE "jobs" ADD COLUMN "packed_input" "bytea";--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "packed_result" "bytea";--> statement-breakpoint
-- They are compressed: PostgreSQL would try in vain.
ALTER TABLE "jobs" ALTER COLUMN "packed_input" SET STORAGE EXTERNAL, ALTER COLUMN "packed_result" SET STORAGE EXTERNAL;--> statement-breakpoint
-- Processes of the version before cannot read packed texts. Where there may be some, nothing is packed for a day, or until
-- operators call the function once more (docs/operator/upgrades.md).
CREATE FUNCTION pack_json_from(start timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE FUNCTION packs_json() RETURNS boolean LANGUAGE sql STABLE RETURN now() >= %L::timestamptz', start);
END $$;--> statement-breakpoint
SELECT pack_json_from(CASE WHEN EXISTS (SELECT FROM jobs) THEN now() + interval '1 day' ELSE '-infinity' END);
