import type { App } from '../../app.ts';
import type { LayoutName } from '../../../schemas/layouts.ts';
import type { CheckedGroup } from '../../csv/check/check-payment-file.ts';
import { canonicalBytes, type PackedRows, unpackRows } from '../../csv/write/packed-rows.ts';
import type { Folder } from '../../config/config.ts';
import { sha256Of } from '../../kernel/hash.ts';
import { lastFour } from '../../kernel/mask.ts';
import { type Fault, mostRowsNext, type PaymentRow } from '../../rows/rows.ts';
import type { FlaggedRows } from '../../ledger/duplicates/flag-charged-rows.ts';
import { findChargedRows, type MarkedRow, readSlowerNow } from '../../ledger/duplicates/find-charged-rows.ts';
import {
  findForgottenSend,
  hasForgottenSends,
  saySentBefore,
  type SentBefore,
} from '../../ledger/duplicates/find-duplicate.ts';
import { faultsOf } from '../../ledger/doubt/compare-forgotten.ts';
import {
  findForgottenRows,
  type ForgottenRow,
  numbersOf,
  readForgotten,
} from '../../ledger/duplicates/find-forgotten-rows.ts';
import { readCanonical } from '../../csv/read/read-canonical.ts';
import { markRows } from '../../../workers/row-marks.ts';
import { RowSet, rowSetKey } from '../../crypto/fingerprints/row-set.ts';
import { FINGERPRINT_BYTES } from '../../crypto/fingerprints/row-fingerprint.ts';
import { likeRows, rowFingerprinter } from '../../../workers/intake/fingerprint-row.ts';
import { type ConfusableRows, confusableRows } from '../../../workers/intake/cut-bodies.ts';
import { chargedSince } from '../../../workers/intake/find-earlier-payments.ts';

/** What the ledger knows about the rows of a file that it does not hold. */
export type SeenBefore = {
  /** The time used: the earlier of the host's and the database's clock. */
  readonly now: Date;
  /** Mark of the valid rows; null when there are none. */
  readonly rowSet: string | null;
  readonly charged: readonly FlaggedRows[];
  /** The first faults for rows that may have been charged before, or resemble other rows of the file. */
  readonly chargedFaults: readonly Fault[];
  /** The message about batches that were sent and that the ledger has forgotten; undefined when there are none. */
  readonly sentBefore: string | undefined;
  /** Faults of rows that such a call may have held, one each, and of the file because of them. */
  readonly forgotten: readonly Fault[];
};

/** Looks up rows in the ledger as they stream by. Nothing is written, and only the current rows are held. */
export type SeenBeforeSearch = { take(group: CheckedGroup): Promise<void>; end(): Promise<SeenBefore> };

/** @param mostFaults number of faults to keep; all are counted */
export async function openSeenBefore(app: App, folder: Folder, mostFaults: number): Promise<SeenBeforeSearch> {
  const now = await readSlowerNow(app.ledger.pool, app.clock.now(), app.ledger.databaseNow());
  const charged = searchCharged(app, folder, { mostFaults, since: chargedSince(folder, now) });
  const sent = (await hasForgottenSends(app.ledger, folder.account)) ? searchSent(app, folder.account) : undefined;
  const forgotten = await searchForgotten(app, folder);
  const rowSet = new RowSet(rowSetKey(app.fingerprint));
  return {
    take: async (group) => {
      const payments = unpackRows(group);
      addRows(rowSet, group.packed);
      await charged.take(payments, group.faults);
      if (group.layout) {
        await sent?.take(group.layout, payments);
        await forgotten.take(group.layout, payments);
      }
    },
    end: async () => {
      const mark = rowSet.mark();
      return { now, rowSet: mark, ...charged.end(), sentBefore: await sent?.end(mark), forgotten: forgotten.end() };
    },
  };
}

/** Adds each row without its line end, as the intake does. */
function addRows(rowSet: RowSet, { count, bytes, starts }: PackedRows): void {
  for (let row = 0; row < count; row += 1) rowSet.add(bytes, starts[row]!, starts[row + 1]! - 1);
}

function searchCharged(
  app: App,
  folder: Folder,
  { mostFaults, since }: { mostFaults: number; since: Date | undefined },
) {
  const fingerprintsOf = rowFingerprinter(app, folder);
  const flagged = new Map<FlaggedRows['code'], FlaggedRows>();
  const faults: Fault[] = [];
  const like = likeRows();
  const addFault = (fault: Fault) => {
    if (faults.length < mostFaults) faults.push(fault);
  };

  /** Returns one entry per fingerprint of the row. */
  function markRow(payment: PaymentRow, others: readonly Fault[]): MarkedRow[] {
    const fingerprints = fingerprintsOf(payment);
    const places = Array.from(
      { length: fingerprints.length / FINGERPRINT_BYTES },
      (_, place) => place * FINGERPRINT_BYTES,
    );
    for (const at of places) {
      const fault = like.findFault(fingerprints, at, payment.line, others);
      if (fault) addFault(fault);
    }
    return places.map((at) => ({
      ...payment,
      fingerprint: fingerprints.readBigInt64BE(at),
      lastFour: lastFour(payment.number),
    }));
  }

  return {
    take: async (payments: readonly PaymentRow[], others: readonly Fault[]) => {
      const marked = payments.filter(({ invoice }) => invoice !== '').flatMap((payment) => markRow(payment, others));
      if (!since) return;
      for (const { line, code, detail } of await findChargedRows(app.ledger, folder, marked, since)) {
        const before = flagged.get(code) ?? { code, rows: 0, detail };
        flagged.set(code, { ...before, rows: before.rows + 1 });
        addFault({ code, line, detail });
      }
    },
    end: () => ({ charged: [...flagged.values(), ...like.flagged()], chargedFaults: faults }),
  };
}

/** Marks the rows as those of a forgotten call were marked, from the bytes that would be sent. */
async function searchForgotten(app: App, { account, operation }: Folder) {
  const { pool } = app.ledger;
  const { unknown, hasRows } = await readForgotten(pool, account);
  const found: ForgottenRow[] = [];
  return {
    take: async (layout: LayoutName, payments: readonly PaymentRow[]) => {
      if (!hasRows || payments.length === 0) return;
      const rows = readCanonical(canonicalBytes(payments), layout);
      const { marks, rowOf } = markRows(app, { account, operation }, rows);
      const marked = numbersOf(marks).map((mark, place) => {
        const row = rowOf[place]!;
        return { line: payments[row]!.line, mark, hasInvoice: rows[row]!.invoice !== '' };
      });
      for (const row of await findForgottenRows(pool, account, marked)) found.push(row);
    },
    end: () => {
      const rows = found.toSorted((one, other) => one.line - other.line);
      return faultsOf({ unknown, found: [{ rows }] });
    },
  };
}

/** Cuts batches as the intake would, because the send journal identifies calls by the bytes of their batches. */
function searchSent({ ledger, settings }: App, account: string) {
  const { maxRows } = settings.batch;
  let confusable: ConfusableRows | undefined;
  const found: SentBefore[] = [];
  let pending: PaymentRow[] = [];
  let [batchNo, rowsBefore] = [0, 0];
  const cut = async () => {
    if (pending.length === 0) return;
    batchNo += 1;
    rowsBefore += pending.length;
    const before = await findForgottenSend(ledger, { account, batchNo, sha256: sha256Of(canonicalBytes(pending)) });
    if (before) found.push(before);
    pending = [];
    confusable?.clear();
  };
  return {
    take: async (layout: LayoutName, payments: readonly PaymentRow[]) => {
      confusable ??= confusableRows(layout);
      for (const payment of payments) {
        const bytes = Buffer.from(`${payment.canonical.join(',')}\n`);
        if (pending.length === mostRowsNext(maxRows, rowsBefore)) await cut();
        if (confusable.isConfusable(bytes, 0)) {
          await cut();
          confusable.isConfusable(bytes, 0);
        }
        pending.push(payment);
      }
    },
    end: async (rowSet: string | null) => {
      await cut();
      const all = found.length === 0 ? await findForgottenSend(ledger, { account, batchNo: 1, rowSet }) : undefined;
      return saySentBefore(all ? [all] : found);
    },
  };
}
