-- Versions of stored travel: every attempt of a job plans with the kilometres and minutes of one moment, while
-- others may store new ones. src/db/travel/travel-packs.ts reads and keeps the versions.

-- The number of statements that have changed `travel`: the version of the table.
CREATE TABLE travel_revision (
  single boolean PRIMARY KEY DEFAULT true,
  revision integer NOT NULL,
  CONSTRAINT travel_revision_single CHECK (single)
);
INSERT INTO travel_revision (revision) VALUES (0);

CREATE TABLE travel_sources (
  from_location_id integer PRIMARY KEY,
  revision integer NOT NULL
);

CREATE TABLE travel_packs (
  from_location_id integer NOT NULL,
  revision integer NOT NULL,
  pairs bytea NOT NULL,
  CONSTRAINT travel_packs_from_location_id_revision_pk PRIMARY KEY (from_location_id, revision)
);
-- Numbers do not compress: PostgreSQL need not try. (CREATE TABLE can say so only since PostgreSQL 16.)
ALTER TABLE travel_packs ALTER COLUMN pairs SET STORAGE EXTERNAL;

-- Raises the revision of the table, and of the locations where the changed travel begins. A trigger does it, so that
-- no writer can forget to. The row of the revision makes later writers wait until this one commits: revisions become
-- visible in their order, so a snapshot that shows one shows all changes up to it, and no others.
CREATE FUNCTION count_travel_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  next integer;
BEGIN
  IF tg_op <> 'TRUNCATE' THEN
    PERFORM FROM changed LIMIT 1;
    IF NOT found THEN
      RETURN null;
    END IF;
  END IF;
  UPDATE travel_revision SET revision = revision + 1 RETURNING revision INTO next;
  IF tg_op = 'TRUNCATE' THEN
    UPDATE travel_sources SET revision = next;
  ELSE
    INSERT INTO travel_sources SELECT DISTINCT from_location_id, next FROM changed
      ON CONFLICT (from_location_id) DO UPDATE SET revision = excluded.revision;
  END IF;
  IF tg_op = 'UPDATE' THEN
    -- Only by hand is a pair given another source.
    INSERT INTO travel_sources SELECT DISTINCT from_location_id, next FROM gone
      ON CONFLICT (from_location_id) DO UPDATE SET revision = excluded.revision;
  END IF;
  RETURN null;
END $$;

CREATE TRIGGER travel_inserted AFTER INSERT ON travel
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_travel_change();
CREATE TRIGGER travel_updated AFTER UPDATE ON travel
  REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_travel_change();
CREATE TRIGGER travel_deleted AFTER DELETE ON travel
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_travel_change();
CREATE TRIGGER travel_truncated AFTER TRUNCATE ON travel
  FOR EACH STATEMENT EXECUTE FUNCTION count_travel_change();
