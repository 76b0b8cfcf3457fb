import { withRows } from './features.ts';
import { action, ADMINS, CHECKERS, EVERYBODY, MAKERS, WORKERS } from './table-rows.ts';

/**
 * Who may do what on the dashboard, in the browser and over its API. The pages, the API and the access tests
 * read these tables. Nothing else offers an action that changes anything.
 */

export const PERSON_ROLES = {
  viewer: 'views everything and changes nothing',
  operator: 'drops files and keeps work going; makes proposals that another person must confirm',
  approver: 'approves or declines held files, and confirms proposals of another person',
  admin: 'all of that, and manages users; but cannot approve their own proposals',
} as const;
export type PersonRole = keyof typeof PERSON_ROLES;

/** A user's name, as the audit trail writes it after `operator:`. The system user of that name is the same person. */
export const PERSON_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/**
 * What a plan can bind besides its subject, the inputs it was made from, and whether another person must confirm. What a
 * plan binds must still hold when the action is done; every other figure of a plan only informs, and is shown fresh.
 */
export const BOUND_FACTS = {
  'hold reasons': 'every reason for which the file was held, because an approval overrides them',
  corrections: 'files uploaded in place of this one that may be sent',
  rows: 'the rows that go out again, or leave the ledger',
  'charged rows': 'the rows that may be charged twice, and by what',
  late: 'what came after the file was taken',
  merchant: 'who is charged, and in which currency',
  address: 'the address that is asked about',
  attempt: 'the attempt that the decision is about',
  state: 'the state of the batch, and which rows of a finished one are unknown',
  'batch id': 'the batch id whose result is detached',
  findings: 'what the report shows of the rows',
  stops: 'the stops that are lifted: who made each, when and why',
  day: 'the business date',
  try: 'how the run of the date ended, and at which try',
  version: 'the version of the profile',
  sample: 'the folder of the sample, what is read from it, and what changes for its folders',
} as const;
export type BoundFact = keyof typeof BOUND_FACTS;

const CORE_ACTIONS = {
  look: action('dashboard', EVERYBODY, 'Look', { reason: 'none', binds: [] }),
  check: action('dashboard', EVERYBODY, 'Check a file', { reason: 'none', binds: [] }),
  drop: action('dashboard', MAKERS, 'Drop a file', { reason: 'none', destructive: 'money', binds: [] }),
  people: action('dashboard', ADMINS, 'Manage users', { binds: [] }),

  approve: action('file', CHECKERS, 'Approve', { destructive: 'money', binds: ['hold reasons', 'corrections'] }),
  decline: action('file', CHECKERS, 'Decline', { destructive: 'irreversible', binds: [] }),
  cancel: action('file', WORKERS, 'Cancel', { destructive: 'irreversible', binds: [] }),
  acknowledge: action('file', CHECKERS, 'Acknowledge what came late', { destructive: 'money', binds: ['late'] }),
  move: action('file', CHECKERS, 'Move to the present account', { destructive: 'money', binds: ['merchant'] }),
  resubmit: action('file', MAKERS, 'Resubmit rows', { destructive: 'money', binds: ['rows'] }),
  'check-outputs': action('file', EVERYBODY, 'Check the outputs', { reason: 'none', binds: [] }),
  'rebuild-outputs': action('file', WORKERS, 'Restore missing outputs', { reason: 'none', binds: [] }),

  'cancel-batch': action('batch', WORKERS, 'Cancel the batch', { destructive: 'irreversible', binds: [] }),
  repoll: action('batch', WORKERS, 'Ask for the result now', { reason: 'none', binds: [] }),
  retry: action('batch', MAKERS, 'Send again', { destructive: 'money', binds: ['attempt'] }),
  release: action('batch', CHECKERS, 'Send all the same', { destructive: 'money', binds: ['charged rows'] }),
  'acknowledge-batch': action('batch', WORKERS, 'Mark as looked at', { binds: ['charged rows'] }),
  withdraw: action('batch', MAKERS, 'Withdraw', { destructive: 'irreversible', binds: [] }),
  adopt: action('batch', MAKERS, 'Enter the batch id', { destructive: 'money', binds: ['attempt'] }),
  probe: action('batch', MAKERS, 'Look for its batch id', { reason: 'none', binds: [] }),
  'not-received': action('batch', MAKERS, 'Mark as not received', { destructive: 'irreversible', binds: ['attempt'] }),
  journal: action('batch', MAKERS, 'Read a transaction report', {
    destructive: 'money',
    binds: ['attempt', 'findings'],
  }),
  'close-in-doubt': action('batch', MAKERS, 'Close with unknown outcome', {
    destructive: 'irreversible',
    binds: ['attempt', 'state'],
  }),
  disown: action('batch', MAKERS, 'Detach this result', { destructive: 'irreversible', binds: ['batch id'] }),

  pause: action('account', WORKERS, 'Pause', { binds: [] }),
  resume: action('account', CHECKERS, 'Resume', { destructive: 'money', binds: ['stops'] }),
  'answer-address': action('account', CHECKERS, 'Answer about the address', {
    destructive: 'money',
    binds: ['address'],
  }),

  confirm: action('proposal', CHECKERS, 'Confirm', { reason: 'none', destructive: 'money', binds: [] }),
  refuse: action('proposal', WORKERS, 'Refuse', { binds: [] }),

  'run-now': action('schedule', MAKERS, 'Run now', { destructive: 'money', binds: ['day'] }),
  'acknowledge-run': action('run', WORKERS, 'Acknowledge the run', { binds: ['try'] }),

  reprocess: action('selection', MAKERS, 'Reprocess', { destructive: 'money', binds: ['rows'] }),
  'stop-run': action('selection', WORKERS, 'Stop', { reason: 'none', binds: [] }),

  'import-profile': action('profile', MAKERS, 'Import a version', { binds: [] }),
  'confirm-profile': action('profile', CHECKERS, 'Confirm a version', {
    destructive: 'money',
    binds: ['version', 'sample'],
  }),
  'retire-profile': action('profile', WORKERS, 'Retire', { binds: ['version'] }),
} as const;

/** Every action on the dashboard, and who may do it. */
export const ACTIONS = withRows(CORE_ACTIONS, 'actions');

export type CoreActionName = keyof typeof CORE_ACTIONS;
export type ActionName = keyof typeof ACTIONS;

export function mayDo(role: PersonRole, actionName: ActionName): boolean {
  return ACTIONS[actionName].may.includes(role);
}

/** Longest time a set-up link or an invitation works, in ms. */
export const LINK_MS = 24 * 3_600_000;
