import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProfileState } from '../../../schemas/lifecycle.ts';
import { FOLDER_OPERATIONS } from '../../../schemas/operations.ts';
import { type NamedPart, type Step, stepText, withIds } from '../../../schemas/steps.ts';
import { WORK } from '../../../schemas/jobs.ts';
import type { Settings } from '../../../src/config/config.ts';
import { byNumber, counted, spanWords } from '../../../src/kernel/counted.ts';
import { RELOADED, RESTART, sayOlder, sayStale, type SectionMarks, SECTIONS } from '../../../src/config/sections.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import { isOpen } from '../../../src/ledger/admission/close-ledger.ts';
import { readAdmission } from '../../../src/ledger/admission/read-admission.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { findClosed } from '../../../src/ledger/alarm/find-closed.ts';
import { listAddressQuestions } from '../../../src/ledger/merchant/answer-address.ts';
import { isFormerName, presentName } from '../../../src/ledger/merchant/bound-accounts.ts';
import {
  findUnattended,
  findUnlisted,
  isPlaceKey,
  placeKey,
  remedyOfUnattended,
  sayUnattended,
  sayWhyUnattended,
  type Unattended,
} from './unattended.ts';
import { readPresences } from '../../../src/ledger/process/read-presence.ts';
import { findFormerWork, type FormerWorkTrouble } from '../former-work.ts';
import { countStray } from '../../../src/ledger/alarm/find-alarm-causes.ts';
import { type FailingWork, readFailing } from '../../../src/ledger/alarm/note-failure.ts';
import { listRunningProcesses, type RunningProcess } from '../../../src/ledger/process/running-processes.ts';
import { confirmedFor, findUnconfirmed, type Unconfirmed, usesOf } from '../../../src/ledger/profile/read-profiles.ts';

/** Something that does not go on by itself, in words: what, why, and the remedy. */
export type Obstacle = {
  /** Identifies it, and stays the same while it lasts. */
  key: string;
  what: string;
  /** Name of the file it is about. */
  name: string | null;
  why: string;
  next: string;
  /** `next` as data. */
  step: Step;
  since: Date | null;
  account: string | null;
  fileId: string | null;
  batchNo: number | null;
};

/** An obstacle whose text is not written yet. */
type Cause = Omit<Obstacle, 'next'>;

/** Returns everything that keeps failing or that no process takes up. Decisions for a person are reported elsewhere. */
export async function readObstacles(ledger: Ledger, settings: Settings): Promise<Obstacle[]> {
  const [unusable, stale, closed, silent, failing, stray, questions, quarantined, unread, formerWork] =
    await Promise.all([
      findUnusable(ledger),
      findStaleSettings(ledger, settings),
      findWaits(ledger),
      findSilent(ledger, settings),
      readFailing(ledger),
      findStray(ledger, settings),
      findAddressQuestions(ledger),
      findQuarantined(settings),
      findUnread(ledger, settings),
      findFormerWork(ledger, settings),
    ]);
  const causes = [
    ...unusable,
    ...stale,
    ...closed,
    ...silent,
    ...failing.map(describeFailing),
    ...stray,
    ...questions,
    ...quarantined,
    ...unread,
    ...formerWork.map(describeFormerWork),
  ];
  return causes.map((cause) => ({ ...cause, next: stepText(cause.step) }));
}

export function describeFailing(work: FailingWork): Cause {
  const { subject, account, fileId, batchNo, name, reason, failures, since } = work;
  const times = byNumber(failures, 'once', `${failures} times`);
  return {
    key: work.work,
    what: `Cannot ${WORK[work.work].doing} ${subject}`,
    name,
    why: `failed ${times}: ${reason}`,
    step: withIds(WORK[work.work].next, { fileId, batchNo, account: account ?? subject, schedule: subject }),
    since,
    account,
    fileId,
    batchNo,
  };
}

async function findUnusable(ledger: Ledger): Promise<Cause[]> {
  const about = { key: 'ledger', name: null, since: null, account: null, fileId: null, batchNo: null };
  const closed = await findClosed(ledger);
  return closed.map(({ action, reason, next }) => ({ ...about, what: `Cannot ${action}`, why: reason, step: [next] }));
}

/** Returns what running processes do not use of the configuration, each cause once. */
async function findStaleSettings(ledger: Ledger, settings: Settings): Promise<Cause[]> {
  const about = { name: null, since: null, account: null, fileId: null, batchNo: null };
  const running = await listRunningProcesses(ledger);
  // A running process has its own configuration, so it can only pass on what the processes found in the file.
  const isOurs = running.some(({ instance }) => instance === ledger.instance.id);
  const causes = running.flatMap((process): Cause[] => {
    const usedAt = process.settingsAt ?? undefined;
    const { waits, beingTaken } = compareSettings(process, isOurs ? undefined : settings.marks);
    const changedAt = process.changedAt ?? (isOurs ? undefined : settings.source?.at);
    return [
      ...(process.fault === null
        ? []
        : [
            {
              ...about,
              key: `${SETTINGS}refused`,
              what: `Running processes still use ${sayOlder(usedAt)}`,
              why: `the changed configuration is not used: ${process.fault}`,
              step: ['Fix paydrop.yaml; it is then taken up within seconds.'],
            },
          ]),
      ...(waits.length === 0
        ? []
        : [
            {
              ...about,
              key: `${SETTINGS}restart`,
              what: sayStale({ changedAt, usedAt, sections: waits }),
              why: 'a change of them takes effect with a restart only',
              step: [RESTART],
            },
          ]),
      ...(beingTaken.length === 0 || process.fault !== null
        ? []
        : [
            {
              ...about,
              key: `${SETTINGS}soon`,
              what: sayStale({ changedAt, usedAt, sections: beingTaken }),
              why: 'a change of them is taken up within seconds',
              step: ['Wait a moment. If this stays, restart paydrop: the running process reads another file.'],
            },
          ]),
    ];
  });
  return causes.filter(
    ({ key, what }, place) => causes.findIndex((one) => one.key === key && one.what === what) === place,
  );
}

/**
 * Returns the sections of which a process uses an older version: those that wait for its restart, and those that it takes
 * up by itself.
 * @param marks of the file as it is now, if the caller knows it
 */
function compareSettings({ waits, sections }: RunningProcess, marks: SectionMarks | undefined) {
  const differ = marks ? SECTIONS.filter((section) => marks[section].open !== sections[section]) : [];
  const due = SECTIONS.filter(
    (section) => waits.includes(section) || (differ.includes(section) && !RELOADED.includes(section)),
  );
  return { waits: due, beingTaken: differ.filter((section) => !due.includes(section)) };
}

const SETTINGS = 'settings ';

/** Returns whether running processes merely use an older configuration. */
export function isStaleSettings({ key }: Pick<Obstacle, 'key'>): boolean {
  return key.startsWith(SETTINGS);
}

/** Returns what a closed ledger waits for before anything leaves. Without any report a ledger is not in use. */
async function findWaits(ledger: Ledger): Promise<Cause[]> {
  if (await isOpen(ledger.pool)) return [];
  const { isNew, since, waits, senders } = await readAdmission(ledger);
  if (!senders.some(({ state }) => state === 'reported')) return [];
  const about = { name: null, since, account: null, fileId: null, batchNo: null };
  const why = isNew
    ? 'the ledger is new, and not every sending host has reported'
    : 'the ledger may be an older copy, and not every sending host has reported to it';
  return waits.map((next, place) => ({
    ...about,
    key: `admission ${place}`,
    what: 'Nothing is sent',
    why,
    step: [next],
  }));
}

/** Returns accounts whose address changed. Nothing of them is taken or sent until a user has answered. */
async function findAddressQuestions(ledger: Ledger): Promise<Cause[]> {
  return (await listAddressQuestions(ledger)).map(({ account, before, address, askedAt, files, unsent }) => ({
    key: `address ${account}`,
    what: `Account ${account} waits for an answer`,
    name: null,
    why: `its agent code was used at ${before ?? 'an address that only the send journal knows'} and is now to be used at ${address}: either the service moved, and what was sent counts, or it is another service. ${counted(files, 'file')} and ${counted(unsent, 'unsent batch')} depend on it`,
    step: ['Answer: ', { action: 'answer-address', account }, '.'],
    since: askedAt,
    account,
    fileId: null,
    batchNo: null,
  }));
}

/** Returns roles that no living process has, and folders that no process lists, while they have work. */
async function findSilent(ledger: Ledger, settings: Settings): Promise<Cause[]> {
  const presences = await readPresences(ledger);
  const unattended = await findUnattended(ledger, settings, presences);
  return [
    ...unattended.map((one) => describeUnattended(one, ledger.clock.now())),
    ...findUnlisted(presences, settings).map(({ site, listedMs }) => ({
      ...OF_NOTHING,
      key: `${UNLISTED}${site}`,
      what: `A drop folder at site ${site} is not listed`,
      why: `its process lives, and listed it ${spanWords(listedMs)} ago`,
      step: ['Drops in it wait. See the lines Folders and Permissions of ', { run: 'doctor' }, '.'] as Step,
    })),
  ];
}

const UNLISTED = 'listing at ';
const OF_NOTHING = { name: null, since: null, account: null, fileId: null, batchNo: null };

/** Describes a role that no living process has, with how to start one. */
export function describeUnattended(unattended: Unattended, now: Date): Cause {
  return {
    ...OF_NOTHING,
    key: placeKey(unattended),
    what: sayUnattended(unattended),
    why: sayWhyUnattended(unattended, now),
    step: [remedyOfUnattended(unattended)],
    since: unattended.seenAt,
  };
}

/** Returns whether nothing happens at all, in contrast to work that fails. */
export function isSilence({ key }: Pick<Obstacle, 'key'>): boolean {
  return isPlaceKey(key) || key.startsWith(UNLISTED);
}

/** Returns accounts that left the configuration with open work. No process works for them. */
async function findStray(ledger: Ledger, { accounts }: Settings): Promise<Cause[]> {
  const stray = await countStray(ledger, [...accounts.keys()]);
  return stray.map(({ account, files, batches, rows, cents }) => ({
    key: `account ${account}`,
    what: isFormerName(account)
      ? `Work was taken when account ${presentName(account)} meant another merchant, country or currency`
      : `Account ${account} is not in the configuration`,
    name: null,
    why: `${counted(files, 'open file')} and ${counted(batches, 'open batch')} of it, ${counted(rows, 'row')} with ${formatCents(cents)}, are stopped`,
    step: isFormerName(account)
      ? [
          `Move its files to the present account ("paydrop move FILE"), cancel them, or give the former merchant a name of its own in paydrop.yaml. Each of them: `,
          { see: 'left' },
          '.',
        ]
      : [`Put account ${account} back into paydrop.yaml until its batches are done, or cancel the unsent batches.`],
    since: null,
    account,
    fileId: null,
    batchNo: null,
  }));
}

function describeFormerWork({ path, why, next }: FormerWorkTrouble): Cause {
  return {
    ...OF_NOTHING,
    key: `work ${path}`,
    what: 'A former work folder is not done with',
    why,
    step: [next],
    since: null,
  };
}

/** Returns the quarantined drops; their senders wait for an answer that will not come. */
async function findQuarantined({ paths }: Settings): Promise<Cause[]> {
  const ids = await readdir(paths.quarantine).catch(() => []);
  if (ids.length === 0) return [];
  const times = await Promise.all(ids.map((id) => stat(join(paths.quarantine, id)).catch(() => undefined)));
  const oldestMs = Math.min(...times.flatMap((found) => (found ? [found.mtimeMs] : [])));
  return [
    {
      key: 'quarantine',
      what: byNumber(ids.length, 'A drop is in quarantine', `${ids.length} drops are in quarantine`),
      name: null,
      why: byNumber(
        ids.length,
        'it could not be read, and nothing in it was sent',
        'they could not be read, and nothing in them was sent',
      ),
      step: [{ run: 'doctor' }, ' shows why for each; tell its sender, then remove its folder.'],
      since: Number.isFinite(oldestMs) ? new Date(oldestMs) : null,
      account: null,
      fileId: null,
      batchNo: null,
    },
  ];
}

/** Returns the profiles that read nothing. The drops in their folders stay where they are. */
async function findUnread(ledger: Ledger, { folders }: Settings): Promise<Cause[]> {
  return (await findUnconfirmed(ledger, usesOf(folders))).map((found) => {
    const { name, newest, sign } = found;
    const own = folders.filter(
      ({ profile, operation }) =>
        profile === name && (sign ?? FOLDER_OPERATIONS[operation].sign) === FOLDER_OPERATIONS[operation].sign,
    );
    const ids = own.map(({ id }) => id).join(', ');
    const accounts = new Set(own.map(({ account }) => account));
    return {
      key: `${UNREAD}${name}`,
      what: byNumber(own.length, `Folder ${ids} takes no files`, `Folders ${ids} take no files`),
      name: null,
      why: `${whyUnread(found)} (PROFILE_UNCONFIRMED)`,
      step:
        sign !== null
          ? ['Name a profile of its own for the folder in paydrop.yaml.']
          : newest === 'draft'
            ? [confirmStep(name)]
            : [{ action: 'import-profile', profile: name }, ', then ', confirmStep(name)],
      since: null,
      account: accounts.size === 1 ? own[0]!.account : null,
      fileId: null,
      batchNo: null,
    };
  });
}

const UNREAD = 'profile ';

/** Returns whether nothing is broken: drops wait until a person confirms a profile, or this one. */
export function isUnread({ key }: Obstacle, profile?: string): boolean {
  return profile === undefined ? key.startsWith(UNREAD) : key === UNREAD + profile;
}

function confirmStep(profile: string): NamedPart {
  return { action: 'confirm-profile', profile };
}

function whyUnread({ name, newest, sign }: Unconfirmed): string {
  if (sign !== null) return `the profile ${name} was ${confirmedFor(sign)}`;
  return WHY_UNREAD[newest ?? 'none'](name);
}

const WHY_UNREAD: Readonly<Record<ProfileState | 'none', (name: string) => string>> = {
  none: (name) => `the profile ${name} was not imported`,
  draft: (name) => `no version of the profile ${name} is confirmed`,
  retired: (name) => `the profile ${name} was retired`,
  confirmed: (name) => `the profile ${name} was confirmed for another release of paydrop`,
};
