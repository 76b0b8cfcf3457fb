-- An index on text is sorted by the collation of its columns. That of a database comes from the operating system, whose
-- update may change the order: lookups then miss entries, and a unique index lets a second one in. So text that an index
-- sorts has the collation "C", which compares bytes and never changes.
--
-- Left out are keys of text_pattern_ops, which compare bytes already, and file.name, of which lower() must know the letters
-- of all languages: its indexes get that class. PostgreSQL refuses to change a column that a trigger or a view names, so
-- these are made again.
--
-- The embedded database needs none of it: PostgreSQL brings its collation, which compares bytes too.
DO $$
DECLARE
  ours regnamespace := current_schema()::regnamespace;
  tables oid[];
  columns smallint[];
  held record;
  triggers text[] := '{}';
  movement text := pg_get_viewdef('outcome_movement');
  grants text[];
  again text;
BEGIN
  IF (SELECT to_jsonb(d) ->> 'datlocprovider' = 'b' FROM pg_database d WHERE d.datname = current_database()) THEN
    RETURN;
  END IF;
  SELECT array_agg(rel), array_agg(attnum) INTO tables, columns FROM (
    SELECT c.oid AS rel, a.attnum
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indclass::oid[]) k (attnum, class)
      JOIN pg_opclass o ON o.oid = k.class
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
    WHERE c.relnamespace = ours AND a.atttypid = 'text'::regtype AND o.opcname <> 'text_pattern_ops'
      AND (c.relname, a.attname) <> ('file', 'name')
    -- An index has it in an expression, which indkey does not name.
    UNION SELECT a.attrelid, a.attnum FROM pg_attribute a
    WHERE a.attrelid = 'file'::regclass AND a.attname = 'content_sha256') keys;

  SELECT array_agg(format('GRANT %s ON outcome_movement TO %s', g.privilege_type,
      CASE WHEN g.grantee = 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END))
    INTO grants FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) g
    WHERE c.oid = 'outcome_movement'::regclass AND g.grantee <> c.relowner;
  DROP VIEW outcome_movement;
  FOR held IN
    SELECT DISTINCT t.oid, t.tgname, t.tgrelid::regclass AS rel FROM unnest(tables, columns) k (rel, attnum)
      JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = k.rel AND d.refobjsubid = k.attnum
      JOIN pg_trigger t ON d.classid = 'pg_trigger'::regclass AND d.objid = t.oid WHERE NOT t.tgisinternal
  LOOP
    triggers := triggers || pg_get_triggerdef(held.oid);
    EXECUTE format('DROP TRIGGER %I ON %s', held.tgname, held.rel);
  END LOOP;

  FOR held IN
    SELECT a.attrelid::regclass AS rel, string_agg(format('ALTER COLUMN %I TYPE text COLLATE "C"', a.attname), ', ') AS changes
    FROM unnest(tables, columns) k (rel, attnum) JOIN pg_attribute a ON a.attrelid = k.rel AND a.attnum = k.attnum
    GROUP BY a.attrelid ORDER BY a.attrelid
  LOOP
    EXECUTE format('ALTER TABLE %s %s', held.rel, held.changes);
  END LOOP;

  FOREACH again IN ARRAY triggers LOOP EXECUTE again; END LOOP;
  EXECUTE format('CREATE VIEW outcome_movement AS %s', movement);
  FOREACH again IN ARRAY coalesce(grants, '{}') LOOP EXECUTE again; END LOOP;
END $$;

DROP INDEX file_by_name, file_by_sender_name, file_by_lower_name;
CREATE INDEX file_by_name ON file (account, name text_pattern_ops);
CREATE INDEX file_by_sender_name ON file (name text_pattern_ops);
CREATE INDEX file_by_lower_name ON file ((lower(name) COLLATE "C"), file_no);
