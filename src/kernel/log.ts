import { type DestinationStream, type Logger, pino } from 'pino';
import { FIELDS } from '../../schemas/fields.ts';
import { PipelineError, systemCode } from './errors.ts';
import { hideCards } from './mask.ts';

export type Log = Logger;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Names whose values never reach a log line, at the top level or one level down. */
const SECRET_NAMES = [
  ...Object.entries(FIELDS).flatMap(([name, field]) => ('secret' in field && field.secret ? [name] : [])),
  'agentCode',
  'password',
  'masterKey',
  'databaseUrl',
  'redisUrl',
  'cardNumber',
  'accountNumber',
  // Row shapes that hold whole numbers (rows/rows.ts).
  'number',
  'canonical',
  'cells',
];

/**
 * Opens the structured log: one line per transition, with ids, counts and states. Redaction is the second safeguard;
 * the first is that no caller passes it a row.
 */
export function openLog(options: { level?: string; destination?: DestinationStream; about?: LogAbout } = {}): Log {
  return pino(
    {
      level: options.level ?? 'info',
      base: options.about ?? null,
      formatters: { level: (level) => ({ level }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
      // pino would log every property of an error, and its message, and format anything for a %o. What a line quotes
      // may be a card number.
      hooks: {
        logMethod([subject, text], method, level) {
          const word = this.levels.labels[level];
          if (word === 'error' || word === 'fatal') counters.get(this)?.({ level: word });
          const says = typeof text === 'string' ? hideCards(text) : text;
          const parts = typeof subject === 'string' ? [hideCards(subject)] : [withoutErrors(subject), says];
          method.apply(this, parts as Parameters<typeof method>);
        },
      },
      serializers: { err: describeError },
    },
    options.destination ?? pino.destination(2),
  );
}

/** What each line says of its process; the ledger adds the instance. */
export type LogAbout = { role: string; version: string };

/** Tells `count` of each line of the level error and above from now on. */
export function countLines(log: Log, count: (line: { level: 'error' | 'fatal' }) => void): void {
  counters.set(log, count);
}

const counters = new WeakMap<Log, Parameters<typeof countLines>[1]>();

/** Returns a log that writes nothing, for commands whose output is data. */
export function silentLog(): Log {
  return pino({ level: 'silent' });
}

/** Replaces errors anywhere in the logged subject with what the log may say of them, and masks card numbers. */
function withoutErrors(subject: unknown): unknown {
  if (subject instanceof Error) return { err: describeError(subject) };
  return typeof subject === 'object' && subject !== null ? mapValues(subject, DEEPEST) : subject;
}

/** Log lines are flat; the limit is for objects that contain themselves. */
const DEEPEST = 3;

function describeErrors(value: unknown, depth: number): unknown {
  if (value instanceof Error) return describeError(value);
  if (typeof value === 'string') return hideCards(value);
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => describeErrors(item, depth - 1));
  return isPlainObject(value) ? mapValues(value, depth - 1) : value;
}

function mapValues(object: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, describeErrors(value, depth)]));
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * Returns what the log may say of an error. Only paydrop's own messages are free of data. An HTTP client's error
 * carries the whole request, a parser's message quotes the failing line, and a database's the row.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name: type } = error;
  if (error instanceof PipelineError) return { type, code: error.code, message: hideCards(error.message) };
  const code = systemCode(error);
  return code && /^[A-Z][A-Z0-9_]*$/.test(code) ? { type, code } : { type };
}
