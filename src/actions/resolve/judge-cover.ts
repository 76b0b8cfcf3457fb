import type { JournalLine } from '../../gateway/answers.ts';
import { hideWholeNumbers } from '../../gateway/reports/hide-whole-numbers.ts';
import { groupBy } from '../../kernel/group-by.ts';
import {
  type CallInDoubt,
  findChargedBefore,
  type KnownCharge,
  readLargestSkew,
  readPresentSkew,
} from '../../ledger/doubt/in-doubt.ts';
import { findChargedBeside } from '../../ledger/doubt/keep-report.ts';
import type { ResolutionContext } from './resolution-context.ts';
import type { ReportFile } from './read-report-file.ts';

/** Whether a report proves that a payment missing in it had not been booked when the report was made. */
export type Cover = {
  covers: boolean;
  /** Why not, in words; empty when it does. */
  coversNot: string;
  /** No report can help: the problem is the call itself. */
  neverCovers: boolean;
  /** Times of the oldest and the newest approved payment in it, by the service's clock. */
  oldestAt: Date | null;
  newestAt: Date | null;
};

/** Input for judging a report: the batch whose call it must cover, and access to the clocks. */
export type Asker = Pick<ResolutionContext, 'ledger' | 'batch'> & {
  readonly gateway: Pick<ResolutionContext['gateway'], 'askTime'>;
  /** Left out where the report was requested up to now. */
  readonly account?: Pick<ResolutionContext['account'], 'resolveWaitMs'>;
};

const DAY_MS = 86_400_000;

/** Clocks further apart than this were set wrong; then report times say nothing about ledger times. */
export const MOST_SKEW_MS = 5 * 60_000;

/** A bank payment gets the time of the bank's answer, days after it was taken. */
export const MOST_DELAY_MS = 14 * DAY_MS;

/**
 * Judges whether a report's silence proves anything. It must show a payment known to be charged by an earlier call, at
 * its time: reports of another zone, account or filter do not. It must also show a later payment. Between its first and
 * last payment it may lack none that is known; otherwise it is cut or filtered. The service's clock must have been
 * right from that earlier call to the present: at the call in doubt, at those around it, and now.
 */
export async function judgeCover(context: Asker, report: ReportFile, call: CallInDoubt): Promise<Cover> {
  const times = report.approved.map(momentOf).filter((at) => at !== undefined);
  const range = {
    oldestAt: times.reduce<Date | null>((least, at) => (least === null || at < least ? at : least), null),
    newestAt: times.reduce<Date | null>((most, at) => (most === null || at > most ? at : most), null),
  };
  const ofCall = await findGapOfCall(context, call);
  const coversNot = ofCall === '' ? await findGap(context, report, call, range) : ofCall;
  return { ...range, covers: coversNot === '', coversNot, neverCovers: ofCall !== '' };
}

/** Returns the gap that no report can close. */
async function findGapOfCall({ ledger, batch }: Asker, call: CallInDoubt): Promise<string> {
  if (call.callNo === null) return 'the ledger had lost the call and does not know what preceded it';
  if (!call.isTimed) return 'the time of the service at the call is not known';
  const skewMs = await readLargestSkew(ledger, batch.account, call.callNo);
  if (skewMs <= MOST_SKEW_MS) return '';
  return `the clocks of the service and the database were ${minutesOf(skewMs)} minutes apart at the call or after it`;
}

async function findGap(
  context: Asker,
  { approved, lines, namesAccount }: ReportFile,
  call: CallInDoubt,
  { oldestAt, newestAt }: Pick<Cover, 'oldestAt' | 'newestAt'>,
): Promise<string> {
  const { ledger, batch } = context;
  if (!namesAccount) return 'it does not name its account';
  const invoices = [...new Set(approved.map((line) => line.invoice))];
  const known = await findChargedBefore(ledger, batch, call.callNo!, invoices);
  const sentinel = findSentinel(known, approved, call.calledAt);
  if (!sentinel) return NO_SENTINEL;
  if (oldestAt === null || newestAt === null || newestAt.getTime() <= call.calledAt.getTime() + MOST_SKEW_MS)
    return 'it shows no approved payment of this kind from 5 minutes or more after the call';
  const skewMs = await readLargestSkew(ledger, batch.account, sentinel.callNo);
  if (skewMs > MOST_SKEW_MS)
    return `the clocks of the service and the database were ${minutesOf(skewMs)} minutes apart at a call before it`;
  const lacking = await countLacking(context, lines, {
    from: new Date(Math.min(oldestAt.getTime() + MOST_SKEW_MS, sentinel.startedAt.getTime())),
    to: new Date(newestAt.getTime() - MOST_SKEW_MS),
  });
  if (lacking > 0)
    return `it lacks ${lacking} of the payments that are known to have been charged between its first and its last; it may be cut or filtered`;
  return findPresentGap(context, call, newestAt);
}

/**
 * Counts the payments that a report should show and lacks. The bank may since have rejected or returned some bank
 * payments of a call, which then appear in other lists. So a bank call counts only if all its payments are missing.
 */
async function countLacking(
  { ledger, batch }: Asker,
  lines: readonly JournalLine[],
  range: { from: Date; to: Date },
): Promise<number> {
  const shown = new Set(lines.map((line) => line.invoice));
  const beside = await findChargedBeside(ledger, batch, range, [...shown]);
  const lacking = beside.filter(({ invoice }) => !shown.has(hideWholeNumbers(invoice)));
  if (batch.operation === 'card') return lacking.length;
  const byCall = [...groupBy(lacking, ({ callNo }) => String(callNo)).values()];
  return byCall.filter((ofCall) => ofCall.length === ofCall[0]!.ofCall).flat().length;
}

const NO_SENTINEL =
  'it shows no payment that is known to have been charged 5 minutes or more before the call, at the time at which it was charged; it may have another time zone, account or filter';

/** Bank answers between the end of one report and the reading of the next appear in neither. */
const ENDS_EARLY =
  "it ends long before now, and a bank payment gets the time of the bank's answer; it must go up to the present";

/** Finds a known payment that the report shows at the right time. */
function findSentinel(
  known: readonly KnownCharge[],
  approved: readonly JournalLine[],
  calledAt: Date,
): KnownCharge | undefined {
  const byInvoice = groupBy(approved, (line) => line.invoice);
  return known.find((charge) =>
    (byInvoice.get(hideWholeNumbers(charge.invoice)) ?? []).some((line) => {
      const at = momentOf(line)?.getTime();
      return (
        at !== undefined &&
        line.amountCents === charge.amountCents &&
        line.customerCode === charge.customerCode &&
        at >= charge.startedAt.getTime() - MOST_SKEW_MS &&
        at <= Math.min(charge.startedAt.getTime() + MOST_DELAY_MS, calledAt.getTime() - MOST_SKEW_MS)
      );
    }),
  );
}

/** Checks the clocks now; they may have been set since the account's last call. */
async function findPresentGap(
  { ledger, batch, gateway, account }: Asker,
  call: CallInDoubt,
  newestAt: Date,
): Promise<string> {
  const present = await readPresentSkew(ledger, () => gateway.askTime());
  if (!present) return 'the service does not tell its current time';
  const { serviceAt, skewMs } = present;
  if (skewMs > MOST_SKEW_MS)
    return `the clocks of the service and the database are ${minutesOf(skewMs)} minutes apart now`;
  if (newestAt.getTime() > serviceAt.getTime() + MOST_SKEW_MS) return 'it shows payments from the future';
  if (!account || batch.operation === 'card') return '';
  const reachesTo = Math.min(
    serviceAt.getTime() - Math.max(account.resolveWaitMs, DAY_MS),
    call.calledAt.getTime() + MOST_DELAY_MS,
  );
  return newestAt.getTime() < reachesTo ? ENDS_EARLY : '';
}

function minutesOf(ms: number): number {
  return Math.round(ms / 60_000);
}

function momentOf({ at }: JournalLine): Date | undefined {
  return at.utc === null ? undefined : new Date(at.utc);
}
