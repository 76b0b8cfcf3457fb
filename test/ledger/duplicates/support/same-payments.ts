import { randomBytes } from 'node:crypto';
import type { SentOutcome } from '../../../../schemas/lifecycle.ts';
import type { NewRow } from '../../../../src/ledger/copy/row-tuples.ts';
import { noteVolumes } from '../../../../src/ledger/duplicates/fingerprint-volumes.ts';
import type { Ledger } from '../../../../src/ledger/engine/open-ledger.ts';
import { claimForTest } from '../../../support/claim-for-test.ts';
import type { FileRow } from '../../../../src/ledger/engine/records.ts';
import { transact } from '../../../../src/ledger/engine/transaction.ts';
import { decideFiles, type FileDecision, NOTHING_READ } from '../../../../src/ledger/file/decide-file.ts';
import { readFileRow } from '../../../../src/ledger/file/read-file.ts';
import type { ReconciledRow } from '../../../../src/rows/rows.ts';
import { claimOf, putFingerprints } from '../../../support/ledger-world.ts';
import { copyRows, cutBatch } from '../../support/put-rows.ts';

/** Which payments a file holds: a payment is a number, and two files with the same number hold the same payment. */
export type Payments = {
  account: string;
  payments?: readonly number[];
  held?: boolean;
  /** How its rows differ from those of other files. */
  row?: Partial<Pick<NewRow, 'invoice' | 'customerCode' | 'lastFour'>> & { amountCents?: number };
  /** Whether its rows have no fingerprint, as those without an invoice. */
  isBare?: boolean;
  comparedFrom?: Date;
};

/** Puts a file with these payments into the ledger, a row a batch: payment N is on line N, in the batch at its place. */
export async function putFile({ ledger }: { ledger: Ledger }, plan: Payments): Promise<FileRow> {
  const { account, payments = [2, 3], held = false, isBare = false, row, comparedFrom } = plan;
  const claim = claimOf({ account, claimedAt: ledger.clock.now() });
  await claimForTest(ledger, claim);
  const file = await readFileRow(ledger, claim.fileId);
  const rows = payments.map((line, place) => ({
    line,
    batchNo: place + 1,
    invoice: isBare ? '' : `INV-${line}`,
    customerCode: 'C1',
    amountCents: line * 100,
    lastFour: '0001',
    ...row,
  }));
  const decision: FileDecision = held
    ? { verdict: 'hold', code: 'UNUSUAL_TOTAL', reason: 'unusual' }
    : { verdict: 'accept' };
  await transact(ledger, async (tx) => {
    await copyRows(tx, file.file_no, rows);
    const prints = rows.map(({ line }) => ({ line, fingerprint: (BigInt(line) << 32n) + 7n }));
    await putFingerprints(tx, file, file.file_no, isBare ? [] : prints);
    await noteVolumes(tx, [{ file, volume: file.file_no, rows: rows.length, agedFrom: file.claimed_at }]);
    for (const { line, batchNo, amountCents } of rows)
      await cutBatch(tx, {
        fileId: file.file_id,
        batchNo,
        account,
        operation: file.operation,
        rows: 1,
        cents: amountCents,
        firstLine: line,
        lastLine: line,
        bodySha256: randomBytes(32).toString('hex'),
        sealedBody: Buffer.from('sealed'),
      });
    const findings = { ...NOTHING_READ, layout: 'ach', validRows: rows.length, records: rows.length } as const;
    await decideFiles(tx, [{ fileId: file.file_id, findings, decision, comparedFrom }]);
  });
  return readFileRow(ledger, file.file_id);
}

/** Returns the outcome of the row of a batch of such a file. */
export function becomes(line: number, outcome: SentOutcome, code: number | null = null): ReconciledRow {
  return { line, outcome, code, message: outcome, authorization: '' };
}
