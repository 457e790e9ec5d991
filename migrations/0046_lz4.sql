-- Large values are compressed by lz4 from now on, where this PostgreSQL was built with it: that takes a fraction of the
-- time of PostgreSQL's own method, and somewhat more space. What is stored stays as it is. After a move to such a build,
-- operators call the function once more (docs/operator/deployment.md).
CREATE FUNCTION compress_with_lz4() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  large record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_settings s WHERE s.name = 'default_toast_compression' AND 'lz4' = ANY (s.enumvals)) THEN
    RETURN;
  END IF;
  FOR large IN
    SELECT a.attrelid::regclass AS table, a.attname AS column FROM pg_attribute a
    WHERE a.attrelid = ANY ('{jobs,decisions,plans,plan_parts,replays,job_previous,job_replays}'::regclass[])
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attstorage = 'x' AND a.attcompression <> 'l'
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION lz4', large.table, large.column);
  END LOOP;
END $$;--> statement-breakpoint
SELECT compress_with_lz4();
