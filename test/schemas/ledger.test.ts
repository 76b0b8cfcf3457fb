import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderLedger } from '../../scripts/reference/ledger.ts';
import { FILES, FUNCTIONS, FUNCTIONS_SCHEMA, TABLES } from '../../src/ledger/engine/schema.ts';
import { openTestLedger } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const FOLDER = new URL('../../schemas/ledger/', import.meta.url);
const world = openedForTests(() => openTestLedger());

async function listed(statement: string, ...values: unknown[]): Promise<string[]> {
  const { rows } = await world.ledger.pool.query<{ name: string }>(statement, values);
  return rows.map(({ name }) => name);
}

/** Names of what is created so in a text, in its order. */
function createdIn(text: string, what: RegExp): string[] {
  return [...text.matchAll(new RegExp(`^CREATE (?:${what.source}) (\\w+)`, 'gm'))].map(([, name = '']) => name);
}

describe('the schema of the ledger', () => {
  it('runs every file of its folder', async () => {
    const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql'));
    const run = FILES.filter(({ href }) => /\/schemas\/ledger\/[^/]+$/.test(href)).map(({ href }) => basename(href));
    expect(files.toSorted()).toEqual(run.toSorted());
  });

  it('begins each file with a sentence about its subject', async () => {
    for (const file of FILES) expect(await readFile(file, 'utf8'), file.href).toMatch(/^-- [A-Z].*[.?]/);
  });

  it('defines every table, view and function of the database, and nothing else does', async () => {
    const namespaces = `relnamespace = 'paydrop'::regnamespace`;
    for (const [what, found] of [
      [
        /(?:UNLOGGED )?TABLE/,
        await listed(`SELECT relname AS name FROM pg_class WHERE ${namespaces} AND relkind = 'r'`),
      ],
      [/VIEW/, await listed(`SELECT relname AS name FROM pg_class WHERE ${namespaces} AND relkind = 'v'`)],
      [/FUNCTION/, await listed(`SELECT proname AS name FROM pg_proc WHERE pronamespace = 'paydrop'::regnamespace`)],
    ] as const)
      expect(createdIn(TABLES, what).toSorted(), String(what)).toEqual(found.toSorted());
    const made = await listed(
      'SELECT proname AS name FROM pg_proc WHERE pronamespace = $1::regnamespace',
      FUNCTIONS_SCHEMA,
    );
    expect(createdIn(FUNCTIONS, /FUNCTION/).toSorted()).toEqual(made.toSorted());
  });

  it('has a sentence for every table, every view and each of their columns', async () => {
    const silent = await listed(
      `SELECT concat_ws('.', c.relname, a.attname) AS name
       FROM pg_class c LEFT JOIN LATERAL (
         SELECT NULL AS attname, 0 AS attnum
         UNION ALL SELECT attname, attnum FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) a ON true
       WHERE c.relnamespace = 'paydrop'::regnamespace AND c.relkind IN ('r', 'v')
         AND coalesce(CASE a.attnum WHEN 0 THEN obj_description(c.oid, 'pg_class') ELSE col_description(c.oid, a.attnum) END
                      !~ '^[a-zA-Z0-9].*\\.$', true)`,
    );
    expect(silent).toEqual([]);
  });

  it('explains in rules.sql every error code that its rules raise', async () => {
    const text = await readFile(new URL('rules.sql', FOLDER), 'utf8');
    const explained = [...text.matchAll(/^--.*$/gm)].flatMap(([line]) => line.match(/PD\d{3}/g) ?? []);
    const raises = [...TABLES.matchAll(/RAISE EXCEPTION '(?:[^']|'')*'[^;]*;/g)].map(([raise]) => raise);
    expect(raises.filter((raise) => !/USING ERRCODE = 'PD\d{3}';$/.test(raise))).toEqual([]);
    const raised = raises.flatMap((raise) => raise.match(/PD\d{3}/g) ?? []);
    expect([...new Set(raised)].toSorted()).toEqual(explained.toSorted());
  });

  it('keeps with the tables the functions that triggers need, and makes all others anew in each version', async () => {
    const triggers = /^CREATE FUNCTION \w+\([^]*?\) RETURNS trigger/gm;
    expect(FUNCTIONS).not.toMatch(triggers);
    // It reads the name of a master key for the trigger that refuses a retired one.
    expect(createdIn(TABLES, /FUNCTION/).length - [...TABLES.matchAll(triggers)].length).toBe(1);
    expect(createdIn(TABLES, /FUNCTION/)).toContain('wrapped_by');
    const statements = [...FUNCTIONS.matchAll(/^(?:CREATE|ALTER|INSERT|DROP|COMMENT) \w+/gm)].map(([words]) => words);
    expect(new Set(statements)).toEqual(new Set(['CREATE FUNCTION']));
  });

  it('has no function that depends on a table, which a restore renames or drops', async () => {
    const bound = await listed(
      `SELECT p.proname AS name FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
         LEFT JOIN pg_class c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid
         LEFT JOIN pg_type t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
       WHERE p.pronamespace = $1::regnamespace
         AND 'paydrop'::regnamespace IN (c.relnamespace, t.typnamespace)`,
      FUNCTIONS_SCHEMA,
    );
    expect(bound).toEqual([]);
  });
});

describe('the page of the schema', () => {
  it('shows every table with its columns, every function, and what refers to what', async () => {
    const text = renderLedger();
    const columns = await listed(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns c
       WHERE table_schema = 'paydrop'`,
    );
    for (const name of columns) {
      const [table = '', column = ''] = name.split('.');
      expect(sectionOf(text, table), name).toContain(`| \`${column}\` | `);
    }
    for (const name of createdIn(TABLES + FUNCTIONS, /FUNCTION/)) expect(text).toContain(`| \`${name}\` | `);
    const references = await listed(
      `SELECT DISTINCT c.relname || ' --> ' || r.relname AS name FROM pg_constraint k
         JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
       WHERE k.contype = 'f' AND k.connamespace = 'paydrop'::regnamespace`,
    );
    expect([...text.matchAll(/^ {2}(\w+ --> \w+)$/gm)].map(([, arrow]) => arrow).toSorted()).toEqual(
      references.toSorted(),
    );
  });

  it.each([
    ['Primary key', `contype = 'p'`],
    ['Check', `contype = 'c'`],
    ['Refers by', `contype = 'f'`],
    ['Unique:', `contype = 'u'`],
  ])('lists of every table each %s', async (mark, is) => {
    const text = renderLedger();
    const counts = await listed(
      `SELECT c.relname || ' ' || count(k.oid) AS name FROM pg_class c LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.${is}
       WHERE c.relnamespace = 'paydrop'::regnamespace AND c.relkind = 'r' GROUP BY c.relname`,
    );
    for (const counted of counts) {
      const [table = '', count] = counted.split(' ');
      expect([table, sectionOf(text, table).split(`\n- ${mark}`).length - 1]).toEqual([table, Number(count)]);
    }
  });

  it('lists with its table every unique index and every trigger', async () => {
    const text = renderLedger();
    const indexes = await listed(
      `SELECT c.relname || ' - Unique, \`' || i.relname || '\`:' AS name FROM pg_index x
         JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
       WHERE c.relnamespace = 'paydrop'::regnamespace AND x.indisunique
         AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.oid)`,
    );
    const triggers = await listed(
      `SELECT c.relname || ' - Trigger \`' || t.tgname || '\` of ' AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE c.relnamespace = 'paydrop'::regnamespace AND NOT t.tgisinternal`,
    );
    for (const [, table = '', line = ''] of [...indexes, ...triggers].map((name) => /^(\w+) (.*)$/.exec(name)!))
      expect(sectionOf(text, table)).toContain(line);
  });

  it('links a state to its meaning', () => {
    expect(sectionOf(renderLedger(), 'batch')).toContain('[schemas/lifecycle.ts](lifecycle.md)');
  });
});

/** What the page says about a table or view. */
function sectionOf(text: string, table: string): string {
  return text.split(new RegExp(`\n### ${table}(?: \\(view\\))?\n`))[1]?.split('\n#')[0] ?? '';
}
