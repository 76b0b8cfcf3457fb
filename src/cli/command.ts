import { existsSync } from 'node:fs';
import { systemClock } from '../kernel/clock.ts';
import { loadSettings, type Settings } from '../config/config.ts';
import { findKeyPlace } from '../crypto/key-place.ts';
import { type KeyRing, openKeyRing } from '../crypto/key-ring.ts';
import type { Feature } from '../feature.ts';
import { openLog } from '../kernel/log.ts';
import { type Ledger, type LedgerPlace, openLedger } from '../ledger/engine/open-ledger.ts';
import { sayOut } from './print/say.ts';

/** A part of a command line in commander's notation (`<file>`, `--port <number>`), and what it is for. */
export type Described = readonly [words: string, about: string];

declare module '../feature.ts' {
  interface Feature {
    /** Its commands by name, loaded when they are called. */
    readonly commands?: Readonly<Record<string, () => Promise<CliCommand>>>;
  }
}

/** One command: a row of the table in commands.ts. It runs, or it groups several commands below its name. */
export type CliCommand = RunningCommand | (CommandWords & { commands: readonly CliCommand[] });

/** `run` resolves to the exit status. */
export type RunningCommand = CommandWords & { run(call: Call): Promise<number> };

type CommandWords = {
  name: string;
  /** Another name of it, such as the service's own of an operation. Help does not list it. */
  alias?: string;
  /** One line, for the list of commands and the top of its own help. */
  about: string;
  takes?: readonly Described[];
  required?: readonly Described[];
  options?: readonly (readonly [flags: string, about: string, fallback?: string])[];
  /** Options under their own titles, before the others. */
  groups?: readonly { readonly title: string; readonly options: readonly Described[] }[];
  /** Options that are parsed only to answer them with an explanation; help does not list them. */
  hidden?: readonly Described[];
  /** Help paragraphs after the options. */
  notes?: readonly string[];
  /** Help lines that can be pasted, without the program name. */
  examples: readonly string[];
};

/** A command line as parsed: omitted options have their fallback, or are missing. */
export type Call = {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, string | true | undefined>>;
  readonly dir: string;
  /** The features of this build. */
  readonly features: readonly Feature[];
};

/** Returns the folder of the configuration where no option names one. */
export function usualFolder(): string {
  return process.env['PAYDROP_DIR'] || '.';
}

export const JSON_OPTION = ['--json', 'print JSON'] as const;

/** Prints data: text, or JSON on request. Nothing else may go to standard output. */
export function print(call: Call, json: unknown, text: () => string): void {
  sayOut(call.options['json'] ? JSON.stringify(json, null, 2) : text());
}

export function settingsOf(call: Call, env: NodeJS.ProcessEnv = process.env): Settings {
  return loadSettings(call.dir, env, call.features);
}

/** Opens the keys that the settings name. @throws PipelineError MASTER_KEY_WRONG and others */
export function keysOf(settings: Settings): KeyRing {
  return openKeyRing(findKeyPlace(settings, process.env));
}

export function placeOf(settings: Settings): LedgerPlace {
  return settings.databaseUrl ? { url: settings.databaseUrl } : { dataDir: settings.paths.data };
}

/** Opens the ledger for a command without workers. Beside a running daemon it uses the same server. */
export async function withLedger<Result>(
  call: Call,
  ask: (ledger: Ledger, settings: Settings) => Promise<Result>,
  { reads = false } = {},
): Promise<Result> {
  const settings = settingsOf(call);
  const log = openLog({ level: 'error' });
  const ledger = await openLedger(placeOf(settings), { clock: systemClock, log, reads });
  try {
    return await ask(ledger, settings);
  } finally {
    await ledger.close();
  }
}

/** Does the same for a command that only reads: sooner, and with one connection (`reads` of openLedger). */
export function readLedger<Result>(
  call: Call,
  ask: (ledger: Ledger, settings: Settings) => Promise<Result>,
): Promise<Result> {
  return withLedger(call, ask, { reads: true });
}

/** Does the same for a command that can do without: where there is no ledger, it does not make one. */
export async function withLedgerIfAny<Result>(
  call: Call,
  ask: (ledger: Ledger | undefined) => Promise<Result>,
): Promise<Result> {
  try {
    const { databaseUrl, paths } = settingsOf(call);
    if (databaseUrl !== undefined || existsSync(paths.data)) return await readLedger(call, ask);
  } catch {
    // It cannot be reached now.
  }
  return ask(undefined);
}
