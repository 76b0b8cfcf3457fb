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

const EVERYBODY = ['viewer', 'operator', 'approver', 'admin'] as const;
const MAKERS = ['operator', 'admin'] as const;
const CHECKERS = ['approver', 'admin'] as const;
const WORKERS = ['operator', 'approver', 'admin'] as const;
const ADMINS = ['admin'] as const;

type Action = {
  readonly may: readonly PersonRole[];
  /** What it acts on; its number or name is in the address. */
  readonly to: 'dashboard' | 'file' | 'batch' | 'account' | 'proposal' | 'schedule' | 'profile' | 'selection';
  /** Text of the button. */
  readonly label: string;
  /** Whether the audit trail needs a reason. */
  readonly reason: 'asked' | 'none';
  /** Whether it moves money or can never be taken back; only the button of the latter is red. */
  readonly destructive: 'money' | 'irreversible' | false;
};

/** Every action on the dashboard, and who may do it. */
export const ACTIONS = {
  look: action('dashboard', EVERYBODY, 'Look', { reason: 'none' }),
  check: action('dashboard', EVERYBODY, 'Check a file', { reason: 'none' }),
  drop: action('dashboard', MAKERS, 'Drop a file', { reason: 'none', destructive: 'money' }),
  people: action('dashboard', ADMINS, 'Manage users'),

  approve: action('file', CHECKERS, 'Approve', { destructive: 'money' }),
  decline: action('file', CHECKERS, 'Decline', { destructive: 'irreversible' }),
  cancel: action('file', WORKERS, 'Cancel', { destructive: 'irreversible' }),
  resubmit: action('file', MAKERS, 'Resubmit rows', { destructive: 'money' }),
  'check-outputs': action('file', EVERYBODY, 'Check the outputs', { reason: 'none' }),
  'rebuild-outputs': action('file', WORKERS, 'Restore missing outputs', { reason: 'none' }),

  'cancel-batch': action('batch', WORKERS, 'Cancel the batch', { destructive: 'irreversible' }),
  repoll: action('batch', WORKERS, 'Ask for the result now', { reason: 'none' }),
  retry: action('batch', MAKERS, 'Send again', { destructive: 'money' }),
  release: action('batch', CHECKERS, 'Send all the same', { destructive: 'money' }),
  acknowledge: action('batch', WORKERS, 'Mark as looked at'),
  withdraw: action('batch', MAKERS, 'Withdraw', { destructive: 'irreversible' }),
  adopt: action('batch', MAKERS, 'Enter the batch id', { destructive: 'money' }),
  probe: action('batch', MAKERS, 'Look for its batch id', { reason: 'none' }),
  'not-received': action('batch', MAKERS, 'Mark as not received', { destructive: 'irreversible' }),
  journal: action('batch', MAKERS, 'Read a transaction report', { destructive: 'money' }),
  'close-in-doubt': action('batch', MAKERS, 'Close with unknown outcome', { destructive: 'irreversible' }),
  disown: action('batch', MAKERS, 'Detach this result', { destructive: 'irreversible' }),

  pause: action('account', WORKERS, 'Pause'),
  resume: action('account', CHECKERS, 'Resume', { destructive: 'money' }),

  'archive-rows': action('account', ADMINS, 'Archive old rows', { destructive: 'irreversible' }),

  confirm: action('proposal', CHECKERS, 'Confirm', { reason: 'none', destructive: 'money' }),
  refuse: action('proposal', WORKERS, 'Refuse'),

  'run-now': action('schedule', MAKERS, 'Run now', { destructive: 'money' }),

  reprocess: action('selection', MAKERS, 'Reprocess', { destructive: 'money' }),
  'stop-run': action('selection', WORKERS, 'Stop', { reason: 'none' }),

  'import-profile': action('profile', MAKERS, 'Import a version'),
  'confirm-profile': action('profile', CHECKERS, 'Confirm a version', { destructive: 'money' }),
  'retire-profile': action('profile', WORKERS, 'Retire'),
} as const;
export type ActionName = keyof typeof ACTIONS;

export function mayDo(role: PersonRole, actionName: ActionName): boolean {
  return ACTIONS[actionName].may.includes(role);
}

function action<To extends Action['to']>(
  to: To,
  may: readonly PersonRole[],
  label: string,
  { reason = 'asked', destructive = false }: Partial<Pick<Action, 'reason' | 'destructive'>> = {},
): Action & { readonly to: To } {
  return { to, may, label, reason, destructive };
}

/** Longest time a set-up link or an invitation works, in ms. */
export const LINK_MS = 24 * 3_600_000;
