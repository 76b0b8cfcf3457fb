import { type CoreDuty, DUTIES, type Duty, type Role, ROLES } from '../../../schemas/jobs.ts';
import { closedAccounts } from '../../../src/calendar/send-window.ts';
import type { Settings } from '../../../src/config/config.ts';
import { siteOfSchedule } from '../../../src/config/schedules-here.ts';
import { byNumber, counted, spanWords } from '../../../src/kernel/counted.ts';
import {
  type DueSum,
  standing,
  sumClaimed,
  sumDeliverable,
  sumSendable,
  sumToPoll,
} from '../../../src/ledger/batch/due-work.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import {
  type Presences,
  readPresences,
  type RolePresence,
  SILENT_MS,
} from '../../../src/ledger/process/read-presence.ts';
import { findOpenRuns } from '../../../src/ledger/reprocess/move-run.ts';
import { besideCore } from '../../../src/feature.ts';
import { type DutyCounters, workOf } from '../../feature-work.ts';

/** How many intervals without a sign of life are silence. */
export const SILENT_INTERVALS = 3;

/** A role at a place. `site` is null for a role whose work any host can do. */
export type Place = { readonly role: Role; readonly site: string | null };

/** A role that no living process has, although it has work. */
export type Unattended = Place & {
  /** Last sign of life of a process with the role; null when none is on record. */
  readonly seenAt: Date | null;
  /** Host of that process. */
  readonly host: string | null;
  /** For how long there has been none, in ms, by the clock of the database. */
  readonly silentMs: number;
  readonly due: readonly Due[];
};

type Due = DueSum & { readonly duty: Duty };

/** A place with the number of its living processes, and how long its work has been unattended, in ms; 0 when it is not. */
export type Attendance = Place & { readonly living: number; readonly silentMs: number };

/**
 * Finds the roles that no living process has while they have work. Before the first start, and for two minutes after
 * the last sign of life, nothing is found: that long a restart may take.
 */
export async function findUnattended(ledger: Ledger, settings: Settings, presences?: Presences): Promise<Unattended[]> {
  const known = presences ?? (await readPresences(ledger));
  if (known.begunMs === null) return [];
  const { begunMs } = known;
  const missing = placesOf(settings, known).flatMap((place) => missingAt(place, known.roles, begunMs) ?? []);
  const found = await Promise.all(
    missing.map(async (place) => ({ ...place, due: await readDue(ledger, settings, place) })),
  );
  return found.filter(({ due }) => due.length > 0);
}

/** Drop folders of a site that its living processes have not listed for too long. */
export type Unlisted = { readonly site: string; readonly listedMs: number };

/** Finds sites whose processes live and do not list a folder, such as one on a network drive that hangs. */
export function findUnlisted({ roles }: Presences, { rescanMs }: Settings): Unlisted[] {
  const limitMs = Math.max(SILENT_MS, SILENT_INTERVALS * rescanMs);
  return roles.flatMap(({ site, role, listedMs }) =>
    role === DUTIES.list.role && listedMs !== null && listedMs >= limitMs ? [{ site, listedMs }] : [],
  );
}

/** Returns every role at every place, for a monitoring program. */
export async function readAttendance(ledger: Ledger, settings: Settings): Promise<Attendance[]> {
  const presences = await readPresences(ledger);
  const unattended = await findUnattended(ledger, settings, presences);
  return placesOf(settings, presences).map((place) => ({
    ...place,
    living: presencesAt(place, presences.roles).reduce((sum, { living }) => sum + living, 0),
    silentMs: unattended.find(({ role, site }) => role === place.role && site === place.site)?.silentMs ?? 0,
  }));
}

function placesOf(settings: Settings, { roles }: Presences): Place[] {
  const sites = new Set([
    ...settings.folders.map(({ site }) => site),
    ...Object.keys(settings.schedules).map((name) => siteOfSchedule(settings, name)),
    ...roles.map(({ site }) => site),
  ]);
  return (Object.keys(ROLES) as Role[]).flatMap((role): Place[] =>
    ROLES[role].atSite ? [...sites].sort().map((site) => ({ role, site })) : [{ role, site: null }],
  );
}

function presencesAt({ role, site }: Place, roles: readonly RolePresence[]): RolePresence[] {
  return roles.filter((one) => one.role === role && (site === null || one.site === site));
}

/**
 * How long a `paydrop run --once` stands for its role after it ended, in ms: a timer starts the next one, at the latest
 * on the next day. It does not stand for a process that stayed and died on the same day.
 */
const ONCE_MS = 25 * 3_600_000;

/** Returns undefined while a process has the role, or may be starting again. */
function missingAt(place: Place, roles: readonly RolePresence[], begunMs: number): Omit<Unattended, 'due'> | undefined {
  const here = presencesAt(place, roles);
  if (here.some(({ living }) => living > 0)) return undefined;
  const staying = here.filter(({ stays }) => stays);
  const didStay = staying.some(({ silentMs }) => silentMs < ONCE_MS);
  if (!didStay && here.some(({ stays, silentMs }) => !stays && silentMs < ONCE_MS)) return undefined;
  // A dashboard may be configured and never wanted; one that was served and is gone is missed.
  if (place.role === 'web' && staying.length === 0) return undefined;
  const [last] = here.toSorted((one, other) => one.silentMs - other.silentMs);
  const silentMs = last?.silentMs ?? begunMs;
  return silentMs < SILENT_MS
    ? undefined
    : { ...place, seenAt: last?.seenAt ?? null, host: last?.host ?? null, silentMs };
}

async function readDue(ledger: Ledger, settings: Settings, { role, site }: Place): Promise<Due[]> {
  const counters: DutyCounters = besideCore(
    DUE,
    (await workOf(settings)).map((work) => work.due),
  );
  const duties = (Object.keys(DUTIES) as Duty[]).filter((duty) => DUTIES[duty].role === role);
  const due = await Promise.all(
    duties.map(async (duty) => ({ duty, ...((await counters[duty]?.(ledger, settings, site ?? '')) ?? standing(0)) })),
  );
  return due.filter(({ count }) => count > 0);
}

/** What a duty has to do. What only a folder, a server or a calendar knows counts as due where it is configured. */
const DUE: Pick<Required<DutyCounters>, CoreDuty> = {
  list: async (_ledger, { folders }, site) =>
    standing(folders.filter((folder) => folder.site === site && folder.schedule === undefined).length),
  intake: (ledger, _settings, site) => sumClaimed(ledger, site),
  submit: (ledger, { accounts }) => sumSendable(ledger, closedAccounts(accounts.values(), ledger.clock.now())),
  poll: (ledger) => sumToPoll(ledger),
  deliver: (ledger, _settings, site) => sumDeliverable(ledger, site),
  reprocess: async (ledger, _settings, site) => standing((await findOpenRuns(ledger, site)).length),
  schedule: async (_ledger, settings, site) =>
    standing(Object.keys(settings.schedules).filter((name) => siteOfSchedule(settings, name) === site).length),
  web: async (_ledger, { dashboard }) => standing(dashboard?.isWanted ? 1 : 0),
};

/** Identifies it, and stays the same while it lasts. */
export function placeKey({ role, site }: Place): string {
  return `role:${role}${site === null ? '' : ` at ${site}`}`;
}

/** Returns whether a key or a subject of an alarm is one of `placeKey`. */
export function isPlaceKey(key: string): boolean {
  return key.startsWith('role:');
}

/** Says what no process does, such as `No process at site main takes drops`. */
export function sayUnattended({ site, due }: Unattended): string {
  const does = due.map(({ duty }) => DUTIES[duty].does).join(', ');
  return `No process${site === null ? '' : ` at site ${site}`} ${does}`;
}

/** Says since when, and what waits. @param now by the clock of the ledger */
export function sayWhyUnattended({ role, host, silentMs, due }: Unattended, now: Date): string {
  const last =
    host === null
      ? `none with the role ${role} was ever started`
      : `the last one with the role ${role}, on ${host}, gave its last sign of life ${spanWords(silentMs)} ago`;
  return [last, ...due.map((one) => sayDue(one, now))].join('; ');
}

function sayDue({ duty, count, since }: Due, now: Date): string {
  const { thing, waitsFor } = DUTIES[duty];
  const oldest = since ? `, the oldest for ${spanWords(Math.max(0, now.getTime() - since.getTime()))}` : '';
  return `${counted(count, thing)} ${byNumber(count, 'waits', 'wait')} ${waitsFor}${oldest}`;
}

/** Says how to start a process that does it. */
export function remedyOfUnattended({ role, site }: Place): string {
  const where = site === null ? '' : ` at site ${site}`;
  return `Start a process with the role ${role}${where}: "paydrop start --roles ${role}${site === null ? '' : ` --site ${site}`}", or "paydrop start" for all roles. If it was running, its log says why it ended. Nothing is lost or sent twice meanwhile.`;
}
