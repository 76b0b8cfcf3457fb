import { type Log, openLog } from '../../../src/kernel/log.ts';

export type LogLine = Record<string, unknown> & { level: number; msg: string };

/** Opens a log whose lines a test can read. */
export function logIntoLines(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) };
  return { log: openLog({ level: 'debug', destination }), lines };
}
