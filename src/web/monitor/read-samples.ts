import { readdir, stat, statfs } from 'node:fs/promises';
import { QUEUES, type QueueName } from '../../../schemas/jobs.ts';
import type { GaugeName } from '../../../schemas/metrics.ts';
import { readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { readAttendance } from '../../../workers/upkeep/alarms/unattended.ts';
import type { App } from '../../app.ts';
import { foldersHere } from '../../config/config.ts';
import { countWaiting } from '../../files/survey-folder.ts';
import { answerInTime } from '../../kernel/answer-in-time.ts';
import { findJournalTrouble } from '../../ledger/admission/send-journal.ts';
import { findClosed } from '../../ledger/alarm/find-closed.ts';
import { countPaidTwice } from '../../ledger/duplicates/read-double-charges.ts';
import { readMerchantNumbers } from '../../ledger/merchant/read-merchants.ts';
import { readStops } from '../../ledger/account/read-holds.ts';
import { readPollLag } from '../../ledger/batch/schedule-poll.ts';
import {
  countOpenBatches,
  countOpenFiles,
  OPEN_BATCH_STATES,
  OPEN_FILE_STATES,
  type OpenCount,
  type OpenSum,
  sumDoubt,
  sumHeld,
} from '../../ledger/overview/overview.ts';

/** Longest wait for the ledger or the queue, in ms; a health request takes little longer. */
export const HEALTH_MS = 2_000;

/** A part that keeps this process from finishing files, and why, in words that may be public. */
export type Unready = { part: 'process' | 'ledger' | 'queue' | 'journal'; why: string };

/** Lists everything that is wrong now; empty when the process is ready. */
export async function findUnready(app: App, limitMs = HEALTH_MS): Promise<Unready[]> {
  const [ledger, queue, journal] = await Promise.all([
    findTrouble(limitMs, askLedger(app)),
    findTrouble(
      limitMs,
      app.queue.counts('submit').then(() => undefined),
    ),
    findJournalTrouble(app.settings.paths.journal),
  ]);
  return [
    ...unready('process', processTrouble(app)),
    ...unready('ledger', ledger),
    ...unready('queue', queue),
    ...unready('journal', journal),
  ];
}

function processTrouble({ health }: App): string | undefined {
  if (health.isStopping) return 'it is stopping';
  return health.sweptAt ? undefined : 'it is starting';
}

/** Returns why the ledger cannot be changed, even though it answers. */
async function askLedger(app: App): Promise<string | undefined> {
  const [closed] = await findClosed(app.ledger);
  return closed?.reason;
}

/** Hides error details, because database messages name users and hosts. */
function findTrouble(limitMs: number, answer: Promise<string | undefined>): Promise<string | undefined> {
  return answerInTime(limitMs, answer).catch(() => `it does not answer within ${limitMs} ms, or refuses`);
}

function unready(part: Unready['part'], why: string | undefined): Unready[] {
  return why === undefined ? [] : [{ part, why }];
}

/** One figure of `schemas/metrics.ts`. */
declare module '../../feature.ts' {
  interface Feature {
    /** Figures of this process (`gauges` in its rows). */
    samples?(app: App): Promise<readonly Sample[]>;
  }
}

export type Sample = { name: GaugeName; value: number; labels?: Record<string, string> };

/**
 * Reads every figure that this process shows. Figures of a part that does not answer are missing; the others show which
 * part it is. What all processes share is read only by the one that has the duty.
 */
export async function readSamples(app: App, limitMs = HEALTH_MS): Promise<Sample[]> {
  const [ledger, queue, disk, waiting, ...ofFeatures] = await Promise.all([
    readOr(limitMs, readLedgerSamples(app), [
      { name: 'paydrop_ledger_up', value: 0 },
      { name: 'paydrop_ledger_exporter', value: 0 },
    ]),
    readOr(limitMs, readQueueSamples(app), [{ name: 'paydrop_queue_up', value: 0 }]),
    readOr(limitMs, readDiskSamples(app), []),
    readOr(limitMs, readFolderSamples(app), []),
    ...app.settings.features.map(({ samples }) =>
      readOr(limitMs, (async () => [...((await samples?.(app)) ?? [])])(), []),
    ),
  ]);
  return [...ledger, ...queue, ...disk, ...waiting, ...readHealthSamples(app), ...ofFeatures.flat()];
}

function readOr(limitMs: number, samples: Promise<Sample[]>, instead: Sample[]): Promise<Sample[]> {
  return answerInTime(limitMs, samples).catch(() => instead);
}

async function readLedgerSamples(app: App): Promise<Sample[]> {
  const { ledger } = app;
  const [isExporter] = await Promise.all([
    // Its own connection may be lost and not back yet.
    ledger.instance.hasDuty(EXPORTER).catch(() => false),
    ledger.pool.query('SELECT 1'),
  ]);
  return [
    { name: 'paydrop_ledger_up', value: 1 },
    { name: 'paydrop_ledger_exporter', value: isExporter ? 1 : 0 },
    ...(isExporter ? await readSharedSamples(app) : []),
  ];
}

const EXPORTER = 'exporter';

async function readSharedSamples(app: App): Promise<Sample[]> {
  const { ledger } = app;
  const [merchants, twice, files, batches, held, doubt, lags, stops, obstacles, attendance] = await Promise.all([
    readMerchantNumbers(ledger),
    countPaidTwice(ledger),
    countOpenFiles(ledger),
    countOpenBatches(ledger),
    sumHeld(ledger),
    sumDoubt(ledger),
    readPollLag(ledger),
    readStops(ledger),
    readObstacles(ledger, app.settings),
    readAttendance(ledger, app.settings),
  ]);
  const accounts = accountsOf(app, [...files, ...batches, ...held, ...doubt, ...lags, ...twice]);
  return [
    { name: 'paydrop_failing_work', value: obstacles.length },
    ...attendance.flatMap(({ role, site, living, silentMs }): Sample[] => {
      const labels = { role, site: site ?? '' };
      return [
        { name: 'paydrop_role_processes', labels, value: living },
        { name: 'paydrop_role_unattended_seconds', labels, value: silentMs / 1_000 },
      ];
    }),
    ...stateSamples(app, accounts, OPEN_FILE_STATES, files, 'paydrop_files', 'paydrop_file_oldest_age_seconds'),
    ...stateSamples(app, accounts, OPEN_BATCH_STATES, batches, 'paydrop_batches', 'paydrop_batch_oldest_age_seconds'),
    ...accounts.flatMap((account): Sample[] => {
      const labels = { account };
      const ofHeld = sumOf(held, account);
      const ofDoubt = sumOf(doubt, account);
      const lag = lags.find((row) => row.account === account);
      const merchant = merchants.get(account);
      const isStopped = stops.some(
        (stop) =>
          stop.account === account ||
          stop.account === '*' ||
          (merchant !== undefined && merchants.get(stop.account) === merchant),
      );
      return [
        { name: 'paydrop_held_rows', labels, value: ofHeld.rows },
        { name: 'paydrop_held_cents', labels, value: ofHeld.cents },
        { name: 'paydrop_unknown_batches', labels, value: ofDoubt.things },
        { name: 'paydrop_unknown_rows', labels, value: ofDoubt.rows },
        { name: 'paydrop_unknown_cents', labels, value: ofDoubt.cents },
        { name: 'paydrop_account_stopped', labels, value: isStopped ? 1 : 0 },
        { name: 'paydrop_poll_lag_seconds', labels, value: lag ? ageSeconds(app, lag.dueAt) : 0 },
        { name: 'paydrop_results_overdue', labels, value: lag?.overdue ?? 0 },
        ...(['open', 'acknowledged'] as const).map((state): Sample => {
          const pairs = twice.find((row) => row.account === account)?.[state] ?? 0;
          return { name: 'paydrop_perhaps_twice_pairs', labels: { ...labels, state }, value: pairs };
        }),
      ];
    }),
  ];
}

/** Returns a figure for every state. One that exists only during trouble would look stale to a monitor. */
function stateSamples<State extends string>(
  app: App,
  accounts: readonly string[],
  states: readonly State[],
  counts: readonly OpenCount<State>[],
  countName: GaugeName,
  ageName: GaugeName,
): Sample[] {
  return accounts.flatMap((account) =>
    states.flatMap((state): Sample[] => {
      const labels = { account, state };
      const found = counts.find((row) => row.account === account && row.state === state);
      return [
        { name: countName, labels, value: found?.count ?? 0 },
        { name: ageName, labels, value: found ? ageSeconds(app, found.oldestAt) : 0 },
      ];
    }),
  );
}

function accountsOf(app: App, rows: readonly { account: string }[]): string[] {
  return [...new Set([...app.settings.accounts.keys(), ...rows.map((row) => row.account)])];
}

function sumOf(sums: readonly OpenSum[], account: string): Pick<OpenSum, 'things' | 'rows' | 'cents'> {
  return sums.find((sum) => sum.account === account) ?? { things: 0, rows: 0, cents: 0 };
}

/** The process with the duty of its site shows the queues of the site; those of all sites are shown at one. */
async function readQueueSamples(app: App): Promise<Sample[]> {
  const { instance } = app.ledger;
  const { site } = app.settings;
  const names = Object.keys(QUEUES) as QueueName[];
  const [ofAll, ofSite, ...counts] = await Promise.all([
    instance.hasDuty(`${EXPORTER} of queues`).catch(() => false),
    instance.hasDuty(`${EXPORTER} of queues at ${site}`).catch(() => false),
    ...names.map((name) => app.queue.counts(name)),
  ]);
  const jobs = names.flatMap((queue, place) =>
    (QUEUES[queue].atSite ? ofSite : ofAll)
      ? Object.entries(counts[place]!).map(
          ([state, value]): Sample => ({ name: 'paydrop_queue_jobs', labels: { queue, state }, value }),
        )
      : [],
  );
  return [{ name: 'paydrop_queue_up', value: 1 }, ...jobs];
}

/** Counts what lies in the drop folders of the site, by names alone. The process with the duty of the site shows it. */
async function readFolderSamples({ ledger, settings }: App): Promise<Sample[]> {
  const isExporter = await ledger.instance.hasDuty(`${EXPORTER} of folders at ${settings.site}`).catch(() => false);
  if (!isExporter) return [];
  const counts = new Map<string, Sample>();
  for (const folder of foldersHere(settings)) {
    const { account, operation } = folder;
    const key = `${account} ${operation}`;
    const value = (counts.get(key)?.value ?? 0) + (await countWaiting(folder));
    counts.set(key, { name: 'paydrop_waiting_files', labels: { account, operation }, value });
  }
  return [...counts.values()];
}

async function readDiskSamples({ settings }: App): Promise<Sample[]> {
  const { data, journal, quarantine } = settings.paths;
  const [disk, sends, drops] = await Promise.all([statfs(data), stat(journal), readdir(quarantine).catch(() => [])]);
  return [
    { name: 'paydrop_data_free_bytes', value: disk.bavail * disk.bsize },
    { name: 'paydrop_journal_bytes', value: sends.size },
    { name: 'paydrop_quarantined_drops', value: drops.length },
  ];
}

function readHealthSamples(app: App): Sample[] {
  const { health, settings } = app;
  const ages = new Map<string, Sample>();
  for (const { id, account, operation } of settings.folders) {
    const since = health.listedAt.get(id) ?? health.watched.get(id);
    if (!health.watched.has(id) || !since) continue;
    const value = ageSeconds(app, since);
    const key = `${account} ${operation}`;
    if (value < (ages.get(key)?.value ?? 0)) continue;
    ages.set(key, { name: 'paydrop_scan_age_seconds', labels: { account, operation }, value });
  }
  const sweepAge = ageSeconds(app, health.sweptAt ?? health.begunAt);
  return [...ages.values(), { name: 'paydrop_sweep_age_seconds', value: sweepAge }];
}

function ageSeconds(app: App, since: Date): number {
  return Math.max(0, (app.clock.now().getTime() - since.getTime()) / 1_000);
}
