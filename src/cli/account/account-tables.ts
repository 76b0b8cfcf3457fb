import { saidState } from '../../../schemas/shown.ts';
import { stepText } from '../../../schemas/steps.ts';
import type { AccountComparison } from '../../actions/resolve/reconcile-account.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { AccountState, ForgottenSend } from '../../ledger/account/read-holds.ts';
import { accountWord, describeHolds } from '../../explain/describe-holds.ts';
import { textTable } from '../print/table.ts';

/** Returns one line for each account, then what holds the accounts that do not send. */
export function accountTable(states: readonly AccountState[], zoneOf: (account: string) => string): string {
  const rows = states.map((state) => [
    state.account,
    accountWord(state),
    String(state.ready),
    String(state.onTheirWay),
    inDoubt(state),
    state.forgotten === 0 ? '' : String(state.forgotten),
  ]);
  const table = textTable(['Account', 'State', 'Waiting', 'In progress', 'In doubt', 'Forgotten'], rows, [2, 3, 5]);
  const why = states.flatMap((state) =>
    describeHolds(state, zoneOf(state.account)).map((hold) => `${state.account}: ${stepText(hold)}`),
  );
  return [table, ...(why.length > 0 ? [why.join('\n')] : [])].join('\n\n');
}

function inDoubt({ batches }: AccountState): string {
  const doubtful = batches.filter((batch) => batch.state === 'unknown');
  if (doubtful.length === 0) return '';
  const rows = doubtful.reduce((sum, batch) => sum + batch.rows, 0);
  return `${counted(rows, 'row')}, ${formatCents(doubtful.reduce((sum, batch) => sum + batch.cents, 0))}`;
}

/** Lists the calls of one account that only the send journal knows, and what to do with them. */
export function forgottenTable(account: string, sends: readonly ForgottenSend[], timeZone: string): string {
  if (sends.length === 0) return 'The ledger has every call of this account that the send journal has.';
  const rows = sends.map((send) => [
    formatInZone(send.at, timeZone),
    send.batchId === null ? `${send.fileId}/${send.batchNo}` : `batch id ${send.batchId}`,
    String(send.attempt),
    send.batchState === null ? 'not known' : saidState(send.batchState),
    send.acknowledgedAt ? `${send.acknowledgedBy} ${formatInZone(send.acknowledgedAt, timeZone)}` : '',
    send.sha256,
  ]);
  const titles = ['Sent', 'Batch', 'Attempt', 'In the ledger', 'Acknowledged by', 'SHA-256'];
  return [textTable(titles, rows, [2]), NEXT.replaceAll('ACCOUNT', account)].join('\n\n');
}

const NEXT = `These calls were made, but the restored ledger does not have them. Compare them with the service's own
report: "paydrop account reconcile ACCOUNT --report PATH --reason …". Batches with the same bytes are never sent
again. Then: "paydrop account acknowledge ACCOUNT --reason …" and "paydrop account resume ACCOUNT --reason …".`;

/** Unknown payments shown; --json has all. */
const SHOWN = 50;

/** Describes what a report shows that the ledger does not know, and what to do. */
export function comparisonText(account: string, comparison: AccountComparison, timeZone: string): string {
  const { from, to, charged, known, unknown, inDoubt, calls } = comparison;
  if (from === null || to === null) return 'The report shows no charged payment, so it proves nothing.';
  const cents = unknown.reduce((sum, { amountCents }) => sum + (amountCents ?? 0), 0);
  const rows = unknown
    .slice(0, SHOWN)
    .map(({ at, invoice, amountCents, lastFour, transactionId }) => [
      at.utc === null ? at.text : formatInZone(new Date(at.utc), timeZone),
      invoice,
      amountCents === null ? '' : formatCents(amountCents),
      lastFour,
      transactionId,
    ]);
  const outside = calls.outside === 0 ? '' : `; ${counted(calls.outside, 'call')} outside that time`;
  return [
    `Charged payments from ${formatInZone(from, timeZone)} to ${formatInZone(to, timeZone)}: ${charged}, of which the ledger sent ${known}.`,
    `Missing calls not yet acknowledged: ${calls.forgotten}${outside}.`,
    ...inDoubt.map(
      ({ name, batchNo, rows: all, shown }) =>
        `In doubt now: batch ${batchNo} of ${name}, of which the report shows ${shown} of ${counted(all, 'row')}. See "paydrop unknown list".`,
    ),
    ...(unknown.length === 0
      ? ['The ledger knows every charged payment in it.']
      : [
          `Charged but not in the ledger: ${counted(unknown.length, 'payment')}, ${formatCents(cents)}. Never drop their files again.`,
          textTable(['Charged', 'Invoice', 'Amount', 'Number', 'Transaction'], rows, [2]),
          ...(unknown.length > SHOWN ? [`And ${unknown.length - SHOWN} more; --json has all.`] : []),
        ]),
    NEXT_STEPS.replaceAll('ACCOUNT', account),
  ].join('\n');
}

const NEXT_STEPS = `Then: "paydrop account acknowledge ACCOUNT --reason …" and "paydrop account resume ACCOUNT --reason …".`;
