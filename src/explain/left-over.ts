import type { Step } from '../../schemas/steps.ts';
import type { Settings } from '../config/config.ts';
import { claimFoldersHere } from '../config/config.ts';
import { listClaims } from '../files/claims/list-claims.ts';
import { maskName } from '../kernel/mask.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { isFormerName, presentName } from '../ledger/merchant/bound-accounts.ts';
import {
  findOtherClaims,
  type LeftKind,
  type LeftRow,
  readLeftOver,
  readLeftRuns,
} from '../ledger/overview/read-left-over.ts';

/** Something that no process works on any more, because its account means another merchant now or left. */
export type LeftOver = Omit<LeftRow, 'kind'> & {
  readonly kind: LeftKind | 'claim' | 'run';
  /** What it is, and that nothing happens with it. */
  readonly says: string;
  /** What a user can do about it. */
  readonly next: Step;
};

/**
 * Returns what is left over of former accounts, such as after going live: of names such as `main.1`, whose work was taken
 * when the name meant another merchant, and of accounts that left the configuration. Claims lie on this host only.
 * @param account only this one, with its former names
 */
export async function readLeft(
  ledger: Ledger,
  settings: Pick<Settings, 'accounts' | 'folders' | 'leftFolders' | 'schedules' | 'site'>,
  account?: string,
): Promise<LeftOver[]> {
  const [rows, runs, claims] = await Promise.all([
    readLeftOver(ledger, [...settings.accounts.keys()]),
    account === undefined ? readRuns(ledger, settings) : [],
    readClaims(ledger, settings),
  ]);
  const isWanted = (of: { account: string }) =>
    account === undefined || of.account === account || presentName(of.account) === account;
  return [...rows.map(describeRow), ...claims, ...runs].filter(isWanted);
}

function describeRow(row: LeftRow): LeftOver {
  const { fileId, batchNo, account } = row;
  const ids = { ...(fileId !== null && { fileId }), ...(batchNo !== null && { batchNo }), account };
  const { says, next } = WORDS[row.kind];
  return { ...row, says, next: next(ids) };
}

type Ids = { readonly fileId?: string; readonly batchNo?: number; readonly account: string };

const nameAgain = (account: string) =>
  isFormerName(account)
    ? 'give the former merchant a name of its own in paydrop.yaml'
    : `put account ${account} back into paydrop.yaml`;

/** A file of an account that only left the configuration is where it belongs. */
function moveOr(verb: 'decline' | 'cancel', it: 'it' | 'them', ids: Ids): Step {
  if (isFormerName(ids.account))
    return [`Move ${it} to the present account: `, { action: 'move', ...ids }, `, or ${verb} ${it}: `];
  return [`${verb === 'decline' ? 'Decline' : 'Cancel'} ${it}: `];
}

const WORDS: Readonly<Record<LeftKind, { says: string; next: (ids: Ids) => Step }>> = {
  unread: {
    says: 'Taken, and not read yet.',
    next: ({ account }) => [`To have it read, ${nameAgain(account)}.`],
  },
  held: {
    says: 'Held; nothing of it is sent.',
    next: (ids) => [...moveOr('decline', 'it', ids), { action: 'decline', ...ids }, '.'],
  },
  unsent: {
    says: 'Unsent batches are stopped.',
    next: (ids) => [...moveOr('cancel', 'them', ids), { action: 'cancel', ...ids }, '.'],
  },
  refused: {
    says: 'Refused by the service; nothing of it was charged.',
    next: (ids) => ['Withdraw it: ', { action: 'withdraw', ...ids }, '.'],
  },
  doubt: {
    says: 'In doubt; the service may have taken it.',
    next: (ids) => ['Resolve it: ', { see: 'doubt', ...ids }, `; to ask its service, ${nameAgain(ids.account)}.`],
  },
  sent: {
    says: 'Sent; its result is not fetched.',
    next: ({ account }) => [`To fetch it, ${nameAgain(account)}.`],
  },
  undecided: {
    says: 'Rows without a known outcome.',
    next: (ids) => ['Resolve or close them: ', { see: 'doubt', ...ids }, '.'],
  },
  meant: {
    says: 'Held: it was meant for another merchant than its account is now.',
    next: (ids) => [
      'Approve it if the present merchant is to charge it: ',
      { action: 'approve', ...ids },
      '; else decline it: ',
      { action: 'decline', ...ids },
      '.',
    ],
  },
  upload: {
    says: 'Uploaded, and not taken yet; it is held when it is taken.',
    next: () => ['Remove it from the drop folder if the present merchant must not charge it.'],
  },
  resubmission: {
    says: 'Dropped again, and not taken yet; it is held when it is taken.',
    next: () => ['Remove it from the drop folder if the present merchant must not charge it.'],
  },
  forgotten: {
    says: 'Calls that a restored ledger lacks, and that no user has acknowledged.',
    next: ({ account }) => ['See ', { see: 'forgotten', account }, ' and compare with a report of the service.'],
  },
};

/** Drops that were claimed for another merchant and have not entered the ledger. */
async function readClaims(
  ledger: Ledger,
  settings: Pick<Settings, 'folders' | 'leftFolders' | 'site'>,
): Promise<LeftOver[]> {
  const roots = new Set(claimFoldersHere(settings).map(({ work }) => work));
  const claims = (await Promise.all([...roots].map(listClaims))).flat();
  const noted = claims.flatMap(({ notes: { fileId, account, merchant } }) =>
    merchant === undefined ? [] : [{ fileId, account, merchant }],
  );
  const others = await findOtherClaims(ledger, noted);
  return claims
    .filter(({ notes }) => others.has(notes.fileId))
    .map(({ workDir, notes: { account, name, claimedAt } }) => ({
      kind: 'claim',
      account,
      name: maskName(name),
      fileId: null,
      batchNo: null,
      rows: null,
      cents: null,
      since: new Date(claimedAt),
      says: `Claimed for another merchant than the account is now, in ${workDir}; it is held when it is taken.`,
      next: ['Wait until it is held, then approve or decline it.'],
    }));
}

async function readRuns(ledger: Ledger, settings: Pick<Settings, 'schedules' | 'folders'>): Promise<LeftOver[]> {
  const names = [...Object.keys(settings.schedules), ...settings.folders.map(({ id }) => `expect:${id}`)];
  return (await readLeftRuns(ledger, names)).map(({ schedule, day, state, dueAt }) => ({
    kind: 'run',
    account: '',
    name: `${schedule}, ${day}`,
    fileId: null,
    batchNo: null,
    rows: null,
    cents: null,
    since: dueAt,
    says: `A run of a schedule that the configuration no longer has: ${state}.`,
    next: ['Acknowledge it: ', { action: 'acknowledge-run', schedule, day }, ', or put the schedule back.'],
  }));
}
