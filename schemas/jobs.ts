import { withRows } from './features.ts';
import type { Step } from './steps.ts';
import type { DutyRow } from './table-rows.ts';

/**
 * The stages, each with a queue of its own; an `atSite` one has a queue per site (`ROLES`). A job is a ring: it says that
 * the stage has something to do. What that is stands in the ledger. So jobs may be lost, repeated or invented without harm.
 */
export const QUEUES = {
  intake: { atSite: true, about: 'check claimed files and cut their batches' },
  submit: { atSite: false, about: 'send batches that the ledger allows' },
  poll: { atSite: false, about: 'ask for the results of submitted batches' },
  deliver: { atSite: true, about: 'write the output files that are due' },
  schedule: { atSite: true, about: 'make due runs of schedules' },
  reprocess: { atSite: true, about: 'send payments again that a person selected' },
} as const;

export type QueueName = keyof typeof QUEUES;

/**
 * What a process may do. By default one process does everything; several can share the work by role. `atSite` roles
 * need folders and sealed originals, so they run where the folder is. The others run anywhere, because what is sent
 * travels sealed through the ledger.
 */
export const ROLES = {
  watch: { atSite: true, about: 'lists the drop folders and claims what is complete' },
  intake: { atSite: true, about: 'checks claimed files and cuts their batches' },
  submit: { atSite: false, about: 'sends batches; keeps its own send journal' },
  poll: { atSite: false, about: 'fetches results' },
  deliver: { atSite: true, about: 'writes the output files' },
  web: {
    atSite: false,
    about: 'serves the dashboard; its users drop and fetch files where the folders are',
  },
  schedule: { atSite: true, about: 'makes due runs of schedules' },
} as const;

export type Role = keyof typeof ROLES;

/**
 * Which role does which kind of work. A role without a living process is reported while one of its duties has something
 * to do. What every process does (sweeps, alarms, destroying keys) has no role and no row.
 */
const CORE_DUTIES = {
  list: { role: 'watch', does: 'takes drops', thing: 'drop folder', waitsFor: 'to be listed' },
  intake: { role: 'intake', does: 'checks files', thing: 'file', waitsFor: 'to be checked' },
  submit: { role: 'submit', does: 'sends batches', thing: 'batch', waitsFor: 'to be sent' },
  poll: { role: 'poll', does: 'fetches results', thing: 'batch', waitsFor: 'to be asked for' },
  deliver: { role: 'deliver', does: 'writes output files', thing: 'file', waitsFor: 'for output files' },
  reprocess: {
    role: 'deliver',
    does: 'sends selected payments again',
    thing: 'selection',
    waitsFor: 'to be sent again',
  },
  schedule: { role: 'schedule', does: 'makes the runs of schedules', thing: 'schedule', waitsFor: 'for its runs' },
  web: { role: 'web', does: 'serves the dashboard', thing: 'dashboard', waitsFor: 'to be served' },
} as const satisfies Record<string, DutyRow>;

export const DUTIES = withRows(CORE_DUTIES, 'duties');

export type CoreDuty = keyof typeof CORE_DUTIES;
export type Duty = keyof typeof DUTIES;

/** Returns whether a process with these roles does this kind of work. */
export function does(roles: ReadonlySet<Role>, duty: Duty): boolean {
  return roles.has(DUTIES[duty].role);
}

export const EVERY_ROLE: ReadonlySet<Role> = new Set(Object.keys(ROLES) as Role[]);

/** The site of a folder or a process that names none. */
export const HOME_SITE = 'main';

/**
 * What paydrop does by itself and retries after a failure. `doing` is followed by what it is about. `next` says what
 * helps when it keeps failing; its commands get their ids later.
 */
const CORE_WORK = {
  watch: {
    doing: 'take drops from folder',
    next: [
      'Fix the cause; paydrop retries automatically. Nothing was sent. See the lines Folders and Permissions of ',
      { run: 'doctor' },
      '.',
    ],
  },
  intake: {
    doing: 'check file',
    next: [
      'Fix the cause; paydrop retries automatically. ',
      { run: 'requeue' },
      ' retries at once; ',
      { action: 'cancel' },
      ' gives up. Nothing in it was sent.',
    ],
  },
  admit: {
    doing: 'send from host',
    next: ['Until then that host sends nothing; nothing is lost. ', { run: 'senders' }, ' shows all hosts.'],
  },
  submit: {
    doing: 'send for',
    next: [
      'Nothing in it was sent. See the lines Service, Clock and Send journal of ',
      { run: 'doctor' },
      '. paydrop retries automatically; ',
      { action: 'pause' },
      ' stops that.',
    ],
  },
  poll: {
    doing: 'fetch the result of',
    next: [
      'The service has it; it is not sent again. See the lines Service and Clock of ',
      { run: 'doctor' },
      '; ',
      { action: 'repoll' },
      ' retries at once.',
    ],
  },
  deliver: {
    doing: 'write the output files of',
    next: [
      'Every outcome is safe in the ledger. Fix the cause, such as permissions or space of the out folder. ',
      { run: 'requeue' },
      ' retries at once.',
    ],
  },
  schedule: {
    doing: 'make the run of schedule',
    next: [
      { see: 'schedules' },
      ' shows its runs. Fix the cause; paydrop retries automatically. ',
      { action: 'run-now' },
      ' retries at once.',
    ],
  },
  reprocess: {
    doing: 'send selected payments again, item',
    next: [
      'Fix the cause; paydrop retries automatically. What is done is not repeated. See the lines Originals and Folders of ',
      { run: 'doctor' },
      '.',
    ],
  },
  sweep: {
    doing: 'compare queue and ledger at',
    next: ['See the lines Queue and PostgreSQL of ', { run: 'doctor' }, '.'],
  },
  shred: {
    doing: 'destroy keys whose retention has ended at',
    next: ['See ', { run: 'retention' }, ' and the lines Clock and Destroyed keys of ', { run: 'doctor' }, '.'],
  },
  alarm: {
    doing: 'deliver alarms to',
    next: ['Check the target in paydrop.yaml; until then check ', { see: 'status' }, '.'],
  },
} as const satisfies Record<string, { doing: string; next: Step }>;

export const WORK = withRows(CORE_WORK, 'work') satisfies Record<string, { doing: string; next: Step }>;

export type WorkName = keyof typeof WORK;
