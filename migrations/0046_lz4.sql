-- Large values are compressed by lz4 from now on, where this PostgreSQL was built with it: that takes a fraction of
-- the time of PostgreSQL's own method, and somewhat more space. What is stored stays as it is. After a move to such a
-- build, operators call the function once more (docs/operator/deployment.md). `jobs` is locked last, as every call
-- needs it; nothing is read or written meanwhile.
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
END $$;--> statement-breakpoint
SELECT compress_with_lz4();
