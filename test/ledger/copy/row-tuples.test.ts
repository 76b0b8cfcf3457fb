import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { copyOut, copyPieces, tupleReader } from '../../../src/ledger/copy/copy-out.ts';
import {
  COPIED,
  writeBatch,
  writeBody,
  writeFault,
  writeOutcome,
  writeFingerprint,
  writeRow,
} from '../../../src/ledger/copy/row-tuples.ts';
import { TupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { copyTuples } from '../../../src/ledger/row/copy-rows.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';

const world = openedForTests(openTestLedger);

let file: FileRow;
beforeAll(async () => {
  file = await world.claimed();
});

/** Returns what a table holds after these tuples were copied in, then rolls back. */
async function keptIn(
  table: keyof typeof COPIED,
  write: (to: TupleWriter) => void,
  ...before: [keyof typeof COPIED, (to: TupleWriter) => void][]
) {
  let kept: unknown[] = [];
  const undo = new Error('undone');
  const copied = transact(world.ledger, async (tx) => {
    for (const [name, fill] of [...before, [table, write] as const]) {
      const to = new TupleWriter();
      fill(to);
      await copyTuples(tx, name, to.take());
    }
    const [name, columns] = COPIED[table].split(/ (?=\()/);
    kept = (await tx.client.query(`SELECT ${columns!.slice(1, -1)} FROM ${name}`)).rows;
    throw undo;
  });
  await expect(copied).rejects.toBe(undo);
  return kept;
}

const batch = () => ({
  fileId: file.file_id,
  batchNo: 3,
  account: file.account,
  operation: file.operation,
  rows: 2,
  cents: -7_000_000_000,
  firstLine: 5,
  lastLine: 9,
  bodySha256: 'ab',
  sealedBody: randomBytes(200),
});

describe('what is copied stands in the columns that it is meant for', () => {
  it('writeRow', async () => {
    const row = { line: 4, batchNo: 2, invoice: 'I', customerCode: 'C', amountCents: 77, lastFour: '1234' };
    const bare = { ...row, line: 5, batchNo: null, amountCents: null };
    expect(await keptIn('rows', (to) => [row, bare].forEach((one) => writeRow(to, file.file_no, one)))).toEqual(
      [row, bare].map((one) => ({
        file_no: file.file_no,
        line: one.line,
        batch_no: one.batchNo,
        invoice: 'I',
        customer_code: 'C',
        amount_cents: one.amountCents,
        last_four: '1234',
      })),
    );
  });

  it('writeFingerprint', async () => {
    const bytes = Buffer.alloc(24);
    const fingerprints = [-(2n ** 63n), -1n, 2n ** 63n - 1n];
    fingerprints.forEach((fingerprint, index) => bytes.writeBigInt64BE(fingerprint, 8 * index));
    const write = (to: TupleWriter) => {
      fingerprints.forEach((_, index) =>
        writeFingerprint(to, { volume: 2 ** 40, fileNo: file.file_no }, index + 1, bytes, 8 * index),
      );
    };
    expect(await keptIn('fingerprints', write)).toEqual(
      fingerprints.map((fingerprint, index) => ({
        volume: 2 ** 40,
        fingerprint: Number(fingerprint),
        file_no: file.file_no,
        line: index + 1,
      })),
    );
  });

  it('writeFault', async () => {
    const full = { line: 4, code: 'AMOUNT_FORMAT', column: 'amount', detail: 'd', value: 'v' } as const;
    const write = (to: TupleWriter) => {
      writeFault(to, file.file_no, 1, full);
      writeFault(to, file.file_no, 2, { line: 0, code: 'ENCODING' });
    };
    expect(await keptIn('faults', write)).toEqual([
      { file_no: file.file_no, seq: 1, line: 4, column_name: 'amount', code: 'AMOUNT_FORMAT', detail: 'd', value: 'v' },
      { file_no: file.file_no, seq: 2, line: 0, column_name: null, code: 'ENCODING', detail: null, value: null },
    ]);
  });

  it('writeOutcome', async () => {
    const outcome = { line: 2, outcome: 'declined', code: 15, message: 'No', authorization: 'A' } as const;
    const write = (to: TupleWriter) => writeOutcome(to, file.file_no, outcome);
    expect(await keptIn('outcomes', write)).toEqual([{ file_no: file.file_no, ...outcome }]);
  });

  it('writeBatch and writeBody', async () => {
    const { sealedBody, ...made } = batch();
    const write = (to: TupleWriter) => writeBatch(to, new Date(START), { ...made, sealedBody });
    expect(await keptIn('batches', write)).toEqual([
      {
        file_id: file.file_id,
        batch_no: 3,
        account: file.account,
        operation: file.operation,
        state: 'ready',
        state_at: new Date(START),
        rows: 2,
        cents: -7_000_000_000,
        first_line: 5,
        last_line: 9,
        body_sha256: 'ab',
      },
    ]);
    expect(await keptIn('bodies', (to) => writeBody(to, { ...made, sealedBody }), ['batches', write])).toEqual([
      { file_id: file.file_id, batch_no: 3, part: 'body', bytes: sealedBody },
    ]);
  });
});

describe('copyOut', () => {
  it('gives the rows of a query in their order, and leaves the connection to the next one', async () => {
    const client = await world.ledger.pool.connect();
    try {
      const numbers: number[] = [];
      const add = tupleReader(1, (bytes, cells) => void numbers.push(bytes.readInt32BE(cells[0])));
      await copyOut(client, 'SELECT n FROM generate_series(1, 20000) n ORDER BY n', add);
      expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1));
      expect((await client.query('SELECT 7 AS seven')).rows).toEqual([{ seven: 7 }]);
    } finally {
      client.release();
    }
  });

  it('throws what the server says', async () => {
    const client = await world.ledger.pool.connect();
    await expect(copyOut(client, 'SELECT 1 / 0', () => {})).rejects.toMatchObject({ code: '22012' });
    client.release(true);
  });
});

describe('copyPieces', () => {
  it('tells pg that the answer has come, also when the rest is not wanted', async () => {
    const callback = vi.fn();
    const query = (copy: object) => {
      Object.assign(copy, { callback });
      return Readable.from([Buffer.from('a piece'), Buffer.from('another')]);
    };
    const pieces = copyPieces({ query } as never, 'COPY t TO STDOUT');
    expect(await pieces.next()).toEqual({ done: false, value: Buffer.from('a piece') });
    expect(callback).not.toHaveBeenCalled();
    await pieces.return(undefined);
    expect(callback).toHaveBeenCalledOnce();
  });
});
