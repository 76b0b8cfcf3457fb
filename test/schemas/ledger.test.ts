import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { renderLedger } from '../../scripts/reference/ledger.ts';
import { FUNCTIONS, FUNCTIONS_SCHEMA, SUBJECTS, TABLES } from '../../src/ledger/engine/schema.ts';
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
    expect(files.toSorted()).toEqual(SUBJECTS.map((name) => `${name}.sql`).toSorted());
  });

  it('begins each file with a sentence about its subject', async () => {
    for (const name of SUBJECTS)
      expect(await readFile(new URL(`${name}.sql`, FOLDER), 'utf8'), name).toMatch(/^-- [A-Z].*[.?]/);
  });

  it('defines every table, view and function of the database, and nothing else does', async () => {
    const namespaces = `relnamespace = 'paydrop'::regnamespace`;
    for (const [what, found] of [
      [/TABLE/, await listed(`SELECT relname AS name FROM pg_class WHERE ${namespaces} AND relkind = 'r'`)],
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

  it('has a sentence for every table', async () => {
    const silent = await listed(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'paydrop'::regnamespace AND relkind = 'r' AND obj_description(oid, 'pg_class') IS NULL`,
    );
    expect(silent).toEqual([]);
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
       WHERE table_schema = 'paydrop' AND EXISTS (SELECT FROM pg_tables t WHERE t.schemaname = 'paydrop' AND t.tablename = c.table_name)`,
    );
    for (const name of columns) {
      const [table = '', column = ''] = name.split('.');
      expect(text.split(`### ${table}\n`)[1]?.split('\n#')[0], name).toContain(`| \`${column}\` | `);
    }
    for (const name of createdIn(TABLES + FUNCTIONS, /FUNCTION/)) expect(text).toContain(`| \`${name}\` | `);
    const references = await listed(
      `SELECT DISTINCT c.relname || ' --> ' || r.relname AS name FROM pg_constraint k
         JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
       WHERE k.contype = 'f' AND k.connamespace = 'paydrop'::regnamespace AND k.conrelid <> k.confrelid`,
    );
    expect([...text.matchAll(/^ {2}(\w+ --> \w+)$/gm)].map(([, arrow]) => arrow).toSorted()).toEqual(
      references.toSorted(),
    );
  });
});
