import { dayInZone } from '../calendar/zone-time.ts';
import { SHOWN, type Shown } from '../../schemas/shown.ts';
import type { NamedPart } from '../../schemas/steps.ts';
import type { Settings } from '../config/config.ts';
import { readStops, type Stop } from '../ledger/account/read-holds.ts';
import { ALL_ACCOUNTS } from '../ledger/account/pause-account.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { type OpenLate, readOpenLate } from '../ledger/file/late-arrivals.ts';
import { type HeldFile, readHeld } from '../ledger/file/list-files.ts';
import {
  type Badges,
  type LateBatch,
  readBadges,
  readDoubt,
  readLate,
  type TroubledBatch,
} from '../ledger/overview/overview.ts';
import { listUndecided, type UndecidedBatch } from '../ledger/doubt/unknown-rows.ts';
import { type Depth, readStages } from '../ledger/overview/read-stages.ts';
import { type OpenProposal, readOpenProposals } from '../ledger/proposal/proposals.ts';
import { type LateRuns, nameRun, readLateRuns } from './read-schedules.ts';
import { groupBy } from '../kernel/group-by.ts';
import {
  type DoubleCharge,
  type PaidBatch,
  readPaidBatches,
  readPaidTwice,
} from '../ledger/duplicates/read-double-charges.ts';
import { sayPaid, sayTwice } from './double-charges.ts';
import { whoDid } from './why/sentence.ts';

/** Kinds of what waits for a person, the worst first. */
export const NEEDS = {
  perhaps_twice: {
    word: 'Perhaps paid twice',
    tone: 'bad',
    means: 'two rows that may be one payment were both charged, or may have been; refund one of them',
  },
  in_doubt: SHOWN.in_doubt,
  mismatch: SHOWN.mismatch,
  undecided: SHOWN.undecided,
  refused: SHOWN.refused,
  paid_meanwhile: SHOWN.paid_meanwhile,
  stopped: { word: 'Sending stopped', tone: 'bad', means: 'the account sends nothing until a person resumes it' },
  needs_approval: SHOWN.needs_approval,
  late: {
    word: 'Came late',
    tone: 'warn',
    means: 'something came after the file was taken; its unsent batches wait for a decision',
  },
  proposal: { word: 'Proposal', tone: 'warn', means: 'one person has proposed it; another decides' },
  overdue: { word: 'Overdue result', tone: 'warn', means: 'the service has it, but gives no result; ask its support' },
  failed: { word: 'Failed run', tone: 'bad', means: 'the next run of the schedule takes the files in any case' },
  missing: { word: 'Expected file missing', tone: 'warn', means: 'ask the sender' },
} as const satisfies Readonly<Record<string, (typeof SHOWN)[Shown] | { word: string; tone: string; means: string }>>;
export type NeedKind = keyof typeof NEEDS;

/** Rows and their money in integer cents. */
export type Amount = { readonly rows: number; readonly cents: number };

/** One thing that waits for a person. */
export type Need = {
  readonly kind: NeedKind;
  /** What it is about, such as `june.csv, batch 2`. */
  readonly what: string;
  /** `*` for all accounts, empty for none. */
  readonly account: string;
  readonly fileId: string | null;
  readonly batchNo: number | null;
  /** The run that a schedule missed, or that an expected file missed. */
  readonly run: { readonly schedule: string; readonly day: string } | null;
  readonly amount: Amount | null;
  readonly since: Date | null;
  readonly says: string;
  /** Payments that are not sent before it is settled; null where it stops nothing. */
  readonly behind: Amount | null;
  /** What settles it; null for a proposal, which its own page decides. */
  readonly next: NamedPart | null;
};

/**
 * Returns what waits for a person, the worst first; at most 200 of a kind. A file or proposal of their own waits for
 * another person.
 * @param actor who looks, as in the audit trail
 */
export async function readNeeds(ledger: Ledger, settings: Settings, actor: string): Promise<Need[]> {
  const [twice, paid, doubt, late, undecided, stops, held, proposals, runs, depths, cameLate] = await Promise.all([
    readPaidTwice(ledger),
    readPaidBatches(ledger),
    readDoubt(ledger),
    readLate(ledger),
    listUndecided(ledger.pool),
    readStops(ledger),
    readHeld(ledger),
    readOpenProposals(ledger),
    readLateRuns(ledger, settings),
    readStages(ledger),
    readOpenLate(ledger),
  ]);
  const behind = (account: string) => sumBehind(depths, account);
  const proposed = new Set(proposals.filter(({ action }) => action === 'approve').map((one) => one.file_id));
  const zone = (account: string) => settings.accounts.get(account)?.timeZone ?? 'UTC';
  return [
    ...groupTwice(twice).map((pairs) => ofTwice(pairs, zone(pairs[0]!.account))),
    ...doubt.map((batch) => ofBatch(batch, behind)),
    ...paid.map((batch) => ofPaid(batch, zone(batch.account))),
    ...undecided.map(ofUndecided),
    ...stops.map((stop) => ofStop(stop, behind)),
    ...held.filter(({ fileId, uploaders }) => !uploaders.includes(actor) && !proposed.has(fileId)).map(ofHeld),
    ...cameLate.map(ofCameLate),
    ...proposals.filter(({ made_by: by }) => by !== actor).map(ofProposal),
    ...late.map(ofLate),
    ...ofRuns(runs, settings, ledger.clock.now()),
  ];
}

/** Reads what the navigation counts; `needsYou` is the length of the list that `readNeeds` returns. */
export async function countNeeds(ledger: Ledger, settings: Settings, actor: string): Promise<Badges> {
  const [badges, twice, runs] = await Promise.all([
    readBadges(ledger, actor),
    readPaidTwice(ledger),
    readLateRuns(ledger, settings),
  ]);
  const things = badges.needsYou + groupTwice(twice).length;
  return { ...badges, needsYou: things + runs.lateRuns.length + runs.missingFiles.length };
}

function sumBehind(depths: readonly Depth[], account: string): Amount {
  const waiting = depths.filter(
    (depth) => depth.stage === 'to_send' && (account === ALL_ACCOUNTS || depth.account === account),
  );
  return {
    rows: waiting.reduce((sum, { rows }) => sum + rows, 0),
    cents: waiting.reduce((sum, { cents }) => sum + cents, 0),
  };
}

const NOTHING = {
  account: '',
  fileId: null,
  batchNo: null,
  run: null,
  amount: null,
  since: null,
  behind: null,
  next: null,
};

function ofBatch(batch: TroubledBatch, behind: (account: string) => Amount): Need {
  const { account, fileId, batchNo, name, state, rows, cents, since, reason } = batch;
  const about = { account, fileId, batchNo, what: `${name}, batch ${batchNo}`, amount: { rows, cents }, since };
  const key = { fileId, batchNo };
  switch (state) {
    case 'unknown':
      return of('in_doubt', { ...about, behind: behind(account), next: { see: 'doubt', ...key } }, reason);
    case 'exception':
      return of('mismatch', { ...about, next: { see: 'comparison', ...key } }, reason);
    case 'refused':
      return of('refused', { ...about, behind: behind(account), next: { action: 'retry', ...key } }, reason);
  }
}

function ofUndecided({ account, fileId, batchNo, name, rows, cents, since }: UndecidedBatch): Need {
  const key = { fileId, batchNo };
  const about = { account, ...key, what: `${name}, batch ${batchNo}`, amount: { rows, cents }, since };
  return of('undecided', { ...about, next: { see: 'doubt', ...key } }, null);
}

function of(kind: NeedKind, about: Partial<Need> & Pick<Need, 'what'>, says: string | null): Need {
  return { ...NOTHING, kind, ...about, says: says ?? NEEDS[kind].means };
}

/** Puts the payments of a batch together: a person looks at them at once. */
function groupTwice(pairs: readonly DoubleCharge[]): DoubleCharge[][] {
  return [...groupBy(pairs, ({ row: { fileId, batchNo } }) => `${fileId}/${batchNo}`).values()];
}

function ofTwice(pairs: readonly DoubleCharge[], timeZone: string): Need {
  const [first] = pairs as [DoubleCharge];
  const { fileId, batchNo, name } = first.row;
  const amount = {
    rows: pairs.length,
    cents: pairs.reduce((sum, { row, other }) => sum + (row.cents ?? other.cents ?? 0), 0),
  };
  const next = { action: 'acknowledge-batch', fileId, batchNo } as const;
  const about = {
    account: first.account,
    fileId,
    batchNo,
    what: `${name}, batch ${batchNo}`,
    amount,
    since: first.foundAt,
  };
  return of('perhaps_twice', { ...about, next }, sayTwice(first, timeZone));
}

function ofPaid(batch: PaidBatch, timeZone: string): Need {
  const { account, fileId, batchNo, name, rows, cents, since } = batch;
  const about = { account, fileId, batchNo, what: `${name}, batch ${batchNo}`, amount: { rows, cents }, since };
  const next = { see: 'why', fileId, batchNo } as const;
  return of('paid_meanwhile', { ...about, next }, sayPaid(batch, timeZone));
}

function ofStop({ account, kind, actor, reason, since }: Stop, behind: (account: string) => Amount): Need {
  const what = account === ALL_ACCOUNTS ? 'all accounts' : `account ${account}`;
  const says = kind === 'pause' ? `paused by ${whoDid(actor)}: ${reason}` : reason;
  return of('stopped', { what, account, since, behind: behind(account), next: { action: 'resume', account } }, says);
}

function ofHeld({ fileId, name, account, rows, cents, since, reason }: HeldFile): Need {
  const next = { action: 'approve', fileId } as const;
  return of('needs_approval', { what: name, account, fileId, amount: { rows, cents }, since, next }, reason);
}

function ofCameLate({ fileId, name, account, rows, cents, since, says }: OpenLate): Need {
  const next = { action: 'acknowledge', fileId } as const;
  return of('late', { what: name, account, fileId, amount: { rows, cents }, since, next }, says);
}

function ofProposal({ action, name, account, file_id: fileId, batch_no: batchNo, ...rest }: OpenProposal): Need {
  const { rows, cents, made_at: since, made_by: by, reason } = rest;
  const about = { what: `${action} ${name}`, account, fileId, batchNo, amount: { rows, cents }, since };
  return of('proposal', about, `${whoDid(by)}: ${reason}`);
}

function ofLate({ account, fileId, batchNo, name, rows, cents, submittedAt, says, batchId }: LateBatch): Need {
  const about = { account, fileId, batchNo, what: `${name}, batch ${batchNo}`, amount: { rows, cents } };
  const next = { action: 'repoll', fileId, batchNo } as const;
  return of('overdue', { ...about, since: submittedAt, next }, `batch id ${batchId}: ${says ?? 'no result yet'}`);
}

/**
 * Each item names its own run. "Run now" makes the run of today, so only an item of today leads to it; the others can
 * only be acknowledged.
 */
function ofRuns({ lateRuns, missingFiles }: LateRuns, { schedules }: Settings, now: Date): Need[] {
  const isToday = (schedule: string, day: string) => dayInZone(now, schedules[schedule]!.timeZone) === day;
  return [
    ...lateRuns.map(({ schedule, day, state, dueAt: since, says }) =>
      of(
        'failed',
        {
          what: nameRun({ schedule, business_date: day }),
          since,
          run: { schedule, day },
          next: { action: isToday(schedule, day) ? 'run-now' : 'acknowledge-run', schedule, day },
        },
        says || state,
      ),
    ),
    ...missingFiles.map(({ schedule, folder, account, day, by }) =>
      of(
        'missing',
        {
          what: `folder ${folder}, ${day}`,
          account,
          run: { schedule, day },
          next: { action: 'acknowledge-run', schedule, day },
        },
        `expected by ${by}`,
      ),
    ),
  ];
}
