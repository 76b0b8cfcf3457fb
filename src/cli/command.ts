import { loadSettings, type Settings } from '../kernel/config.ts';
import { systemClock } from '../kernel/clock.ts';
import { type Log, openLog } from '../kernel/log.ts';
import { type Ledger, openLedger } from '../ledger/open-ledger.ts';

/** One command: a row of the table in commands.ts. `run` answers the exit status. */
export type CliCommand = {
  /** Name with its arguments, as commander reads it: `show <id>` */
  name: string;
  about: string;
  options?: readonly (readonly [flags: string, about: string, fallback?: string])[];
  required?: readonly (readonly [flags: string, about: string])[];
  run(call: Call): Promise<number>;
};

export type Call = { arguments: string[]; options: Record<string, unknown>; dir: string };

export const JSON_OPTION = ['--json', 'print JSON'] as const;

/** Prints data: text for people, or JSON when asked for. */
export function print(call: Call, json: unknown, text: () => string): void {
  console.log(call.options['json'] ? JSON.stringify(json, null, 2) : text());
}

export function settingsOf(call: Call): Settings {
  return loadSettings(call.dir, process.env);
}

export function logOf(settings: Settings): Log {
  return openLog({ level: settings.logLevel });
}

/** Reads the ledger for a command that only asks. Beside a running daemon it uses the same server. */
export async function withLedger<Result>(
  call: Call,
  ask: (ledger: Ledger, settings: Settings) => Promise<Result>,
): Promise<Result> {
  const settings = settingsOf(call);
  const place = settings.databaseUrl ? { url: settings.databaseUrl } : { dataDir: settings.paths.data };
  const log = openLog({ level: 'error' });
  const ledger = await openLedger(place, { clock: systemClock, log });
  try {
    return await ask(ledger, settings);
  } finally {
    await ledger.close();
  }
}
