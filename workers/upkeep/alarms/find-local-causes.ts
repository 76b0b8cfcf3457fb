import type { AlarmKind } from '../../../schemas/alarms.ts';
import type { App } from '../../../src/app.ts';
import type { AlarmCause } from '../../../src/ledger/alarm/find-alarm-causes.ts';
import { transferNames } from '../../transfer/start-transfers.ts';

/** How many intervals without a sign of life are silence. */
export const SILENT_INTERVALS = 3;

/**
 * Returns what only this process can know: folders that it does not list, SFTP servers that it cannot use, a silent
 * queue.
 */
export function findLocalCauses(app: App): AlarmCause[] {
  return [
    ...findSilentFolders(app),
    ...findBrokenTransfers(app),
    ...findTrouble(app, 'QUEUE_UNREACHABLE', 'queue', app.health.trouble),
  ];
}

/** Adds the host's name to a subject that only its own processes can judge. */
export function localSubject(app: App, thing: string): string {
  return `${thing}@${app.ledger.instance.host}`;
}

export function isLocalSubject(subject: string): boolean {
  return subject.includes('@');
}

/**
 * Returns whether this process has itself seen the cause of a local alarm end. A process that has just begun, or does
 * other work on the host, has not. What left the configuration is over for all.
 */
export function isOverHere(app: App, kind: AlarmKind, subject: string): boolean {
  const { health, settings } = app;
  const at = subject.lastIndexOf('@');
  const thing = subject.slice(0, at);
  if (subject.slice(at + 1) !== app.ledger.instance.host) return false;
  // What is no longer found where it can be seen is over.
  if (kind === 'failing') return true;
  if (kind === 'silence') return health.listedAt.has(thing) || settings.folders.every(({ id }) => id !== thing);
  if (kind === 'transfer') return health.workingTransfers.has(thing) || !transferNames(settings).includes(thing);
  return health.sweptAt !== undefined && health.trouble === undefined;
}

/** Returns a cause when the trouble has lasted long enough for an alarm. */
export function findTrouble(
  app: App,
  code: 'QUEUE_UNREACHABLE' | 'LEDGER_UNREACHABLE',
  part: string,
  trouble: App['health']['trouble'],
): AlarmCause[] {
  if (trouble?.code !== code || ageMs(app, trouble.since) < SILENT_INTERVALS * app.settings.sweepMs) return [];
  const figures = { minutes: minutes(ageMs(app, trouble.since)), ...(trouble.why && { says: trouble.why }) };
  return [{ kind: 'trouble', subject: localSubject(app, part), account: null, figures }];
}

function findSilentFolders(app: App): AlarmCause[] {
  const { health, settings } = app;
  return settings.folders.flatMap(({ id, account }): AlarmCause[] => {
    if (!health.watched.has(id)) return [];
    const silentMs = ageMs(app, health.listedAt.get(id) ?? health.begunAt);
    if (silentMs < SILENT_INTERVALS * settings.rescanMs) return [];
    return [{ kind: 'silence', subject: localSubject(app, id), account, figures: { minutes: minutes(silentMs) } }];
  });
}

function findBrokenTransfers(app: App): AlarmCause[] {
  return [...app.health.brokenTransfers].flatMap(([name, { since, everyMs, account }]): AlarmCause[] => {
    const brokenMs = ageMs(app, since);
    if (brokenMs < SILENT_INTERVALS * everyMs) return [];
    return [{ kind: 'transfer', subject: localSubject(app, name), account, figures: { minutes: minutes(brokenMs) } }];
  });
}

function ageMs({ clock }: App, since: Date): number {
  return clock.now().getTime() - since.getTime();
}

function minutes(ms: number): number {
  return Math.round(ms / 60_000);
}
