import { pino, type DestinationStream, type Logger } from 'pino';
import { FIELDS } from '../../schemas/fields.ts';

export type Log = Logger;

/** Names whose values never reach a log line, at the top of it or one level down. */
const SECRET_NAMES = [
  ...Object.entries(FIELDS).flatMap(([name, field]) => ('secret' in field && field.secret ? [name] : [])),
  'password',
  'cardNumber',
  'accountNumber',
  'masterKey',
];

/**
 * The structured log: one line a move, carrying ids, counts and states. Redaction is the second net; the first is that
 * nobody hands it a row.
 */
export function openLog(options: { level?: string; destination?: DestinationStream } = {}): Log {
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
    },
    options.destination ?? pino.destination(2),
  );
}

/** A log that says nothing, for commands whose output is data. */
export function silentLog(): Log {
  return pino({ level: 'silent' });
}
