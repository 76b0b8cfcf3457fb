import { DatabaseError } from 'pg';
import { PipelineError, reasonOf, systemCode } from '../../kernel/errors.ts';
import { FUNCTION_NAMES } from './schema.ts';

/** Such as when its packages were upgraded and it was not restarted: it finds the libraries of another version. */
const BROKEN = [
  'the ledger database failed in itself',
  'Read the log of the server. If its programs were upgraded, restart it.',
] as const;

/** What a running server's error code means, and the remedy. The server's own message names users and hosts. */
const REFUSALS: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  // A pooler that does not know session settings.
  '08P01': [
    'DATABASE_URL names a pooler, which does not accept the settings of paydrop',
    'Name the database itself in DATABASE_URL, not PgBouncer or another pooler.',
  ],
  '25006': [
    'the ledger database is read-only, or a standby',
    'Set DATABASE_URL to the primary, or make it writable again.',
  ],
  '28000': ['the ledger database refuses the role', 'Check user and password in DATABASE_URL.'],
  '28P01': ['the ledger database refuses the password', 'Check user and password in DATABASE_URL.'],
  '3D000': ['the server has no database with that name', 'Check the name in DATABASE_URL.'],
  '42501': [
    'the role of the ledger lacks a permission',
    'Grant it all permissions on the tables and sequences of schema paydrop; "paydrop doctor" shows what it lacks. The first start of a version also needs CREATE on the database, for its functions.',
  ],
  '53100': ['the disk of the ledger database is full', 'Free some space there; work then continues automatically.'],
  '53300': [
    'the ledger database has no free connection',
    'End other sessions, or raise max_connections and the limits of role and database.',
  ],
  '57P03': ['the ledger database is starting or stopping', 'Wait until it is up; work then continues automatically.'],
  '58P01': BROKEN,
  XX000: BROKEN,
};

/** What node-postgres throws after `query_timeout`. The server may still do what it was asked. */
export function isReadTimeout(error: unknown): boolean {
  return reasonOf(error) === 'Query read timeout';
}

const NO_ANSWER = [
  'the ledger database did not answer in time, and may still record the change',
  'Look with "paydrop status" before you repeat it. Commits wait while a synchronous standby is away.',
] as const;

/** Only a role that may create schemas makes the functions of a version. */
const NO_FUNCTIONS = [
  'functions of this version are missing in the ledger database, and its role may not make them',
  'Grant the role CREATE on the database, or start this version once as the owner of schema paydrop.',
] as const;

/** PostgreSQL knows no function with the name and the arguments of a call. */
const UNKNOWN_FUNCTION = '42883';

function lacksOurFunction(error: unknown): boolean {
  if (systemCode(error) !== UNKNOWN_FUNCTION) return false;
  const called = /([a-z_]+)\(/.exec(reasonOf(error))?.[1];
  return called !== undefined && FUNCTION_NAMES.includes(called);
}

/** Explains a server error in words; returns undefined for an error that says nothing about the server itself. */
export function explainRefusal(error: unknown): { reason: string; next: string } | undefined {
  const [reason, next] = findRefusal(error) ?? [];
  return reason === undefined || next === undefined ? undefined : { reason, next };
}

function findRefusal(error: unknown): readonly [reason: string, next: string] | undefined {
  if (isReadTimeout(error)) return NO_ANSWER;
  return lacksOurFunction(error) ? NO_FUNCTIONS : REFUSALS[systemCode(error) ?? ''];
}

/**
 * Explains any error that ended the opening of the ledger. A server that refuses a statement does answer, so it is not
 * said to be away.
 */
export function explainOpening(error: unknown): { reason: string; next: string } | undefined {
  if (!(error instanceof DatabaseError)) return explainRefusal(error);
  return (
    explainRefusal(error) ?? {
      reason: `the ledger database refused a statement with the code ${error.code ?? 'unknown'}`,
      next: "Nothing was changed. Report it with the lines of the server's log.",
    }
  );
}

/** Returns such an error with its explanation, and any other error unchanged. */
export function withRefusalExplained(error: unknown): unknown {
  const refusal = explainRefusal(error);
  if (!refusal) return error;
  const { reason, next } = refusal;
  return new PipelineError('LEDGER_UNREACHABLE', 'use the ledger', reason, { next, cause: error });
}
