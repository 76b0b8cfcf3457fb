import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { type CliCommand, JSON_OPTION, placeOf, print, settingsOf } from '../command.ts';
import { paintFor } from '../print/paint.ts';
import { bad, type Check, type Finding, findingOf, type Level, warn } from './check.ts';
import type { Settings } from '../../config/config.ts';
import { systemCode } from '../../kernel/errors.ts';
import { silentLog } from '../../kernel/log.ts';
import { inspectFunctions } from '../../ledger/engine/functions.ts';
import { findMissingMigrations } from '../../ledger/engine/migrate.ts';
import { type Ledger, openLedger } from '../../ledger/engine/open-ledger.ts';
import { clock, postgres, queue, service } from './servers.ts';
import { destroyedKeys, keyFile, masterKey, openpgp, seals } from './keys.ts';
import { diskSpace, folders, leftOvers, permissions, places } from './folders.ts';
import { failing, lastDrill, quarantine, runningSettings, temporaries, workFolders } from './work.ts';
import { journal, journalFiles } from './journal.ts';
import { originals } from './originals.ts';

export const doctor: CliCommand = {
  name: 'doctor',
  about: 'Check folders, permissions, disk, clock, keys, database, queue, service and journal, and show fixes',
  options: [JSON_OPTION],
  notes: [
    `Each line is ok, warn (it may soon fail) or bad. Nothing is changed. A connection to the service is
opened and closed, without a call. Exit status 5 when something is bad.`,
  ],
  examples: ['doctor', 'doctor --json'],
  async run(call) {
    const examined = await examine({ settings: settingsOf(call), env: process.env, clock: systemClock });
    const worst = worstOf(examined);
    print(call, { worst, checks: examined }, () => describeExamined(examined));
    return worst === 'bad' ? EXIT.exception : EXIT.ok;
  },
};

const GRAVITY: readonly Level[] = ['ok', 'warn', 'bad'];

export function worstOf(examined: readonly Examined[]): Level {
  const levels = examined.flatMap(({ findings }) => findings.map(({ level }) => GRAVITY.indexOf(level)));
  return GRAVITY[Math.max(0, ...levels)]!;
}

export function describeExamined(examined: readonly Examined[]): string {
  const width = Math.max(...examined.map(({ name }) => name.length));
  const lines = examined.flatMap(({ name, findings }) => findings.flatMap((finding) => lineOf(name, width, finding)));
  return [...lines, '', SENTENCES[worstOf(examined)]].join('\n');
}

const COLORS = { ok: 'green', warn: 'yellow', bad: 'red' } as const satisfies Record<Level, string>;

function lineOf(name: string, width: number, { level, found, remedy }: Finding): string[] {
  const line = `${paintFor(process.stdout)(COLORS[level], level.padEnd(4))}  ${name.padEnd(width)}  ${found}`;
  return remedy ? [line, `${' '.repeat(width + 8)}fix: ${remedy}`] : [line];
}

const SENTENCES: Readonly<Record<Level, string>> = {
  ok: 'All is well.',
  warn: 'It works. Check the lines marked warn.',
  bad: 'Fix the lines marked bad.',
};

export type Examined = { name: string; findings: Finding[] };

/**
 * Runs every check, whatever the results of the others. Nothing is changed: the ledger is opened as it is, and a
 * missing one is not created.
 */
export async function examine(
  parts: { settings: Settings; env: NodeJS.ProcessEnv; clock: Clock },
  checks?: readonly Check[],
): Promise<Examined[]> {
  const opened = await openAsIs(parts.settings, parts.clock);
  const isBehind = 'ledger' in opened && (await lacksParts(opened.ledger));
  const examined: Examined[] = 'trouble' in opened ? [{ name: 'Ledger', findings: [opened.trouble] }] : [];
  try {
    for (const check of checks ?? (await checksOf(parts.settings))) {
      const findings = await lookOnce(check, { ...parts, isBehind }, 'ledger' in opened ? opened.ledger : undefined);
      if (findings.length > 0) examined.push({ name: check.name, findings });
    }
  } finally {
    if ('ledger' in opened) await opened.ledger.close();
  }
  return examined;
}

async function lookOnce(
  check: Check,
  { isBehind, ...parts }: Parameters<typeof examine>[0] & { isBehind: boolean },
  ledger: Ledger | undefined,
): Promise<Finding[]> {
  try {
    if (check.needs === 'nothing') return await check.look(parts);
    return ledger ? await check.look({ ...parts, ledger }) : [];
  } catch (error) {
    // The line PostgreSQL says that the next start adds what is missing here.
    return isBehind && MISSING.has(systemCode(error)) ? [] : [findingOf(error, bad)];
  }
}

/** PostgreSQL's codes for a table, a column or a function that does not exist. */
const MISSING: ReadonlySet<string | undefined> = new Set(['42P01', '42703', '42883']);

/** Returns whether the next start adds something: tables, or the functions of this version. */
async function lacksParts({ pool }: Ledger): Promise<boolean> {
  try {
    const [missing, functions] = await Promise.all([findMissingMigrations(pool), inspectFunctions(pool)]);
    return missing.length > 0 || functions.state !== 'whole';
  } catch {
    // The line PostgreSQL says why the ledger cannot be read.
    return false;
  }
}

/** Opens the ledger without changing it. A missing one is not created. */
export async function openAsIs(settings: Settings, clock: Clock): Promise<{ ledger: Ledger } | { trouble: Finding }> {
  const { databaseUrl, paths } = settings;
  if (!databaseUrl && !(await hasEmbeddedLedger(paths.data))) {
    return {
      trouble: warn(
        'there is none yet',
        'No action is needed: the first start makes it. If there was one, restore data.',
      ),
    };
  }
  try {
    return { ledger: await openLedger(placeOf(settings), { clock, log: silentLog(), asIs: true }) };
  } catch (error) {
    return { trouble: findingOf(error, bad) };
  }
}

/** Looks for the cluster, or the note that says where it is. */
async function hasEmbeddedLedger(dataDir: string): Promise<boolean> {
  const found = await Promise.allSettled([access(join(dataDir, 'postgres')), access(join(dataDir, 'WHERE.txt'))]);
  return found.some(({ status }) => status === 'fulfilled');
}

/** Returns the checks of the core, then those of the features that are on. */
export async function checksOf({ features }: Pick<Settings, 'features'>): Promise<Check[]> {
  const ofFeatures = await Promise.all(features.map(async ({ checks }) => (await checks?.()) ?? []));
  return [...CHECKS, ...ofFeatures.flat()];
}

/** In print order: checks that others depend on come first. */
export const CHECKS: readonly Check[] = [
  folders,
  places,
  leftOvers,
  permissions,
  diskSpace,
  keyFile,
  journalFiles,
  openpgp,
  postgres,
  clock,
  queue,
  masterKey,
  seals,
  journal,
  runningSettings,
  workFolders,
  originals,
  destroyedKeys,
  failing,
  quarantine,
  temporaries,
  lastDrill,
  service,
];
