import { ALARM_KINDS, type AlarmKind } from '../../schemas/alarms.ts';
import type { App } from '../../src/app.ts';
import { beginAlarmWatch, raiseAlarms } from '../../src/ledger/alarm/raise-alarms.ts';
import {
  type AlarmCause,
  findConfirmedVersions,
  findEndedFiles,
  findLastingCauses,
  findLate,
  findUnasked,
  findUnreached,
  findWithheld,
} from '../../src/ledger/alarm/find-alarm-causes.ts';
import { groupBy } from '../../src/kernel/group-by.ts';
import { isSilence, isStaleSettings, readObstacles } from './alarms/obstacles.ts';
import {
  findUnattended,
  isPlaceKey,
  placeKey,
  remedyOfUnattended,
  sayUnattended,
  sayWhyUnattended,
  SILENT_INTERVALS,
  type Unattended,
} from './alarms/unattended.ts';
import { type Presences, readPresences, SILENT_MS } from '../../src/ledger/process/read-presence.ts';
import { DUTIES } from '../../schemas/jobs.ts';
import { withLock } from '../../src/ledger/engine/with-lock.ts';
import { listNotifyRules } from '../../src/ledger/person/people.ts';
import { kindsOf, type Recipient, targetKey } from '../../src/notify/tell.ts';
import { describeAlarm } from './alarms/describe-alarm.ts';
import { findDigests } from './alarms/digest.ts';
import { expectationOf } from '../schedule/check-expected.ts';
import { alarmsOf, type FeatureAlarms, workOf } from '../feature-work.ts';

/**
 * Finds everything that a person should know, raises what is new and clears what is over. It reads the ledger and the
 * health of this process, and is repeatable at any time. It sends nothing; see start-alarms.ts.
 */
export async function lookForAlarms(app: App): Promise<void> {
  await beginAlarmWatch(app.ledger);
  const recipients = await readRecipients(app);
  const wanted = new Set<AlarmKind>(recipients.flatMap((target) => [...kindsOf(target)]));
  const audience = recipients.map((target) => ({
    key: targetKey(target),
    kinds: kindsOf(target),
    accounts: target.accounts,
  }));
  const alarms = alarmsOf(await workOf(app.settings));
  // What fails in a feature holds up no alarm, and is thrown at the end.
  const faults: unknown[] = [];
  const attempt = <Answer>(ask: () => Answer, instead: Answer): Answer => {
    try {
      return ask();
    } catch (error) {
      faults.push(error);
      return instead;
    }
  };
  // One process at a time: two at once would both report a file that has ended.
  const done = await withLock(app.ledger, 'alarms', async () => {
    const presences = await readPresences(app.ledger);
    const found = Object.entries(alarms).flatMap(([kind, alarm]) =>
      attempt(() => alarm.find(app).filter((cause) => cause.kind === kind), []),
    );
    const causes = [...found, ...(await findCauses(app, wanted, presences))];
    const due = causes
      .filter(({ kind }) => wanted.has(kind))
      .map((cause) => ({
        ...cause,
        text: attempt(() => describeAlarm(cause, currencyOf(app, cause), alarms), `${ALARM_KINDS[cause.kind].means}.`),
      }));
    const raised = await raiseAlarms(app.ledger, due, audience, (kind, subject) =>
      isPlaceKey(subject) ? maySeeAbsence(presences) : attempt(() => mayClear(app, kind, subject, alarms), false),
    );
    // Apart, so that a report that cannot be read holds up no alarm.
    const digests = await findDigests(app, recipients, causes);
    const written = digests.map((digest) => ({ ...digest, text: describeAlarm(digest) }));
    await raiseAlarms(app.ledger, written, audience, () => false);
    if (faults.length > 0) throw faults[0];
    return raised;
  });
  if (done.raised + done.cleared > 0) app.log.info(done, 'alarms raised or cleared');
}

function currencyOf({ settings }: App, { account }: AlarmCause): string | undefined {
  return account === null ? undefined : settings.accounts.get(account)?.currency;
}

/**
 * Returns the targets of the configuration, and the users who have confirmed an address. Their mails go through the first
 * mail server of the configuration.
 */
export async function readRecipients({ ledger, settings: { alarms } }: App): Promise<Recipient[]> {
  const server = alarms.find((target) => target.by === 'mail');
  if (!server) return alarms;
  const { smtpUrl, from } = server;
  const rules = await listNotifyRules(ledger);
  const people = rules.map(({ name: person, rule: { mail, kinds, accounts, digest } }): Recipient => {
    return { by: 'mail', smtpUrl, from, to: [mail], person, kinds: [...kinds], accounts, digest };
  });
  return [...alarms, ...people];
}

async function findCauses(app: App, wanted: ReadonlySet<AlarmKind>, presences: Presences): Promise<AlarmCause[]> {
  const { ledger, clock, settings } = app;
  const unattended = maySeeAbsence(presences) ? await findUnattended(ledger, settings, presences) : [];
  const isPolled = unattended.every(({ role }) => role !== DUTIES.poll.role);
  const dueBefore = new Date(clock.now().getTime() - SILENT_INTERVALS * Math.max(settings.rescanMs, settings.sweepMs));
  return [
    ...findLocalCauses(app),
    ...(await findLastingCauses(ledger)),
    ...unattended.map((one) => causeOf(app, one)),
    // Where no process asks at all, that is the one cause.
    ...(isPolled ? await findUnasked(ledger, dueBefore) : []),
    ...(await findUnreached(ledger)),
    ...(wanted.has('failing') ? await findFailing(app) : []),
    ...(await findLate(ledger, awaited(settings), new Date(clock.now().getTime() - LATE_MS))),
    ...(wanted.has('rows_withheld') ? await findWithheld(ledger) : []),
    ...(wanted.has('file_refused') ? await findEndedFiles(ledger, 'file_refused') : []),
    ...(wanted.has('file_done') ? await findEndedFiles(ledger, 'file_done') : []),
    ...(await findChangedProfiles(app)),
  ];
}

/**
 * Returns whether this process may judge that others are gone. It may not when it has just joined: after an outage of
 * the server, or of the whole installation, processes return one by one.
 */
function maySeeAbsence({ joinedMs }: Presences): boolean {
  return joinedMs >= SILENT_MS;
}

function causeOf({ ledger }: App, unattended: Unattended): AlarmCause {
  const says = `${sayUnattended(unattended)}: ${sayWhyUnattended(unattended, ledger.clock.now())}`;
  const figures = { says, next: remedyOfUnattended(unattended) };
  return { kind: 'silence', subject: placeKey(unattended), account: null, figures };
}

/** Returns one cause for each kind of failing work. What only this host can see carries its name. */
async function findFailing(app: App): Promise<AlarmCause[]> {
  // Those of roles and folders are of the kind "silence". Whoever changes the file sees it at once, and mostly restarts
  // paydrop within minutes.
  const obstacles = (await readObstacles(app.ledger, app.settings)).filter(
    (one) => !isSilence(one) && !isStaleSettings(one),
  );
  return [...groupBy(obstacles, ({ key }) => key)].map(([key, alike]) => ({
    kind: 'failing',
    subject: key === 'quarantine' ? localSubject(app, key) : key,
    account: alike.every(({ account }) => account === alike[0]!.account) ? alike[0]!.account : null,
    figures: {
      count: alike.length,
      says: withoutNames(app.settings, `${alike[0]!.what}: ${alike[0]!.why}`),
      next: alike[0]!.next,
    },
  }));
}

/** Adds to each newly confirmed version the folders that it reads. */
async function findChangedProfiles({ ledger, settings: { folders } }: App): Promise<AlarmCause[]> {
  const causes = await findConfirmedVersions(ledger, [...new Set(folders.flatMap(({ profile }) => profile ?? []))]);
  return causes.map((cause) => {
    const own = folders.filter(({ profile }) => profile === cause.figures.profile);
    return { ...cause, figures: { ...cause.figures, folders: own.map(({ id }) => id) } };
  });
}

/**
 * Hides quoted names of files, which may say more than a mail should. Quoted commands stay, and so do the configured
 * folders, which say where to look.
 */
function withoutNames(settings: App['settings'], text: string): string {
  return text.replace(/"([^"]*)"/g, (all, words: string) =>
    /^paydrop [a-z]+$/.test(words) || isOurFolder(settings, words) ? all : '"…"',
  );
}

function isOurFolder({ paths, folders }: App['settings'], path: string): boolean {
  // Originals lie in a folder for each day.
  const folder = path.startsWith(paths.archive) ? path.replace(/(?:\/\d{2,4}){1,3}$/, '') : path;
  const ours = [...Object.values(paths), ...folders.flatMap(({ id, path: drop, work }) => [id, drop, work])];
  return ours.includes(folder);
}

/** How long something late is reported, in ms, as in `paydrop status`. */
const LATE_MS = 7 * 86_400_000;

/** Returns everything that has business dates now; what left the configuration is no longer late. */
function awaited({ schedules, folders }: App['settings']): string[] {
  return [...Object.keys(schedules), ...folders.filter((folder) => folder.expect).map(({ id }) => expectationOf(id))];
}

/**
 * Returns whether this process may clear an alarm. Any process sees what is in the ledger; only those that do the work
 * see the rest.
 */
function mayClear(app: App, kind: AlarmKind, subject: string, alarms: FeatureAlarms): boolean {
  if (!ALARM_KINDS[kind].lasts) return false;
  return !isLocalSubject(subject) || isOverHere(app, kind, subject, alarms);
}

/**
 * Returns what only this process can know: folders that it does not list, a silent queue.
 */
export function findLocalCauses(app: App): AlarmCause[] {
  return [...findSilentFolders(app), ...findTrouble(app, 'QUEUE_UNREACHABLE', 'queue', app.health.trouble)];
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
export function isOverHere(app: App, kind: AlarmKind, subject: string, alarms: FeatureAlarms = {}): boolean {
  const { health, settings } = app;
  const at = subject.lastIndexOf('@');
  const thing = subject.slice(0, at);
  if (subject.slice(at + 1) !== app.ledger.instance.host) return false;
  // What is no longer found where it can be seen is over.
  if (kind === 'failing') return true;
  if (kind === 'silence') return health.listedAt.has(thing) || settings.folders.every(({ id }) => id !== thing);
  const ofFeature = alarms[kind];
  if (ofFeature) return ofFeature.isOver(app, thing);
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
    const watchedSince = health.watched.get(id);
    if (!watchedSince) return [];
    const silentMs = ageMs(app, health.listedAt.get(id) ?? watchedSince);
    if (silentMs < SILENT_INTERVALS * settings.rescanMs) return [];
    return [{ kind: 'silence', subject: localSubject(app, id), account, figures: { minutes: minutes(silentMs) } }];
  });
}

export function ageMs({ clock }: App, since: Date): number {
  return clock.now().getTime() - since.getTime();
}

export function minutes(ms: number): number {
  return Math.round(ms / 60_000);
}
