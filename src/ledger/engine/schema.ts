import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { FEATURE_TABLES } from '../../../schemas/features.ts';

/** The database as it is now; versions before this one are in its folder migrations/. */
const FOLDER = new URL('../../../schemas/ledger/', import.meta.url);

/** Files of the folder in the order in which they are run: each uses only tables of those before it. */
const SUBJECTS = [
  'rules',
  'audit',
  'keys',
  'profiles',
  'merchants',
  'claim',
  'intake',
  'send',
  'gate',
  'admission',
  'result',
  'double-charges',
  'deliver',
  'doubt',
  'reprocess',
  'approvals',
  'uploads',
  'users',
  'schedules',
  'alarms',
  'processes',
  'stage',
  'retention',
  'archive',
] as const;

/** First release, whose ledger is made of the tables. Each later change of a table is a migration after it. */
const FIRST = '0.1.0';

/** Divides a file: tables with their triggers stand before it, functions that are made anew for each text behind it. */
const FUNCTIONS_FROM = '\n-- == Functions ==\n';

/**
 * Takes a file apart into its tables and its functions. Line ends may be those of any system, such as after a checkout on
 * Windows: the statements, and the hash of the functions, stay the same.
 */
export function splitStatements(text: string): { tables: string; functions: string } {
  const [tables = '', functions = ''] = text.replaceAll('\r\n', '\n').split(FUNCTIONS_FROM);
  return { tables, functions };
}

/** All files in that order; those of features come last, and none uses tables of another. */
export const FILES: readonly URL[] = [...SUBJECTS.map((name) => new URL(`${name}.sql`, FOLDER)), ...FEATURE_TABLES];

const parts = FILES.map((file) => splitStatements(readFileSync(file, 'utf8')));

/** Statements that make all tables of an empty ledger, with their indexes, triggers and first rows. */
export const TABLES = parts.map(({ tables }) => tables).join('\n');

/** Statements that make all functions. */
export const FUNCTIONS = parts.map(({ functions }) => functions).join('\n');

/** Their names. */
export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.matchAll(/^CREATE FUNCTION (\w+)/gm)].map(
  ([, name = '']) => name,
);

const PREFIX = 'paydrop_f_';
const DIGITS = 12;

/** Regular expression of PostgreSQL for the schema of the functions of any version. */
export const FUNCTIONS_PATTERN = `^${PREFIX}[0-9a-f]{${DIGITS}}$`;

/**
 * Schema of the functions, named by the hash of their text. So no function is ever migrated, and two versions of paydrop
 * run side by side, each with its own.
 */
export const FUNCTIONS_SCHEMA = `${PREFIX}${createHash('sha256').update(FUNCTIONS).digest('hex').slice(0, DIGITS)}`;

/** Where a session of this version looks for names. A table that it makes must not stand among functions that are dropped. */
export const SEARCH_PATH = `paydrop,${FUNCTIONS_SCHEMA}`;

/** Returns the versions in which tables changed, the first and oldest included, in order. */
export function listMigrations(): string[] {
  return inVersionOrder([...new Set([FIRST, ...keptMigrations()])]);
}

/** Returns versions from the oldest to the newest: 0.10.0 comes after 0.9.0. */
export function inVersionOrder(versions: readonly string[]): string[] {
  return versions.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

/**
 * Returns the statements that bring the tables from the version before to this one. Those of the first are the tables
 * themselves as long as there is no other: then the folder must have a copy, to build an old ledger from.
 */
export function readMigration(name: string): string {
  if (keptMigrations().length === 0) return TABLES;
  return readFileSync(new URL(`migrations/${name}.sql`, FOLDER), 'utf8');
}

function keptMigrations(): string[] {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  return paths.flatMap((path) => /^migrations.(.+)\.sql$/.exec(path)?.[1] ?? []);
}
