import { describe, expect, it } from 'vitest';
import { completeFile, recordOutput } from '../../src/ledger/file/complete-file.ts';
import { reconcileBatch } from '../../src/ledger/batch/receive-result.ts';
import { readFileFigures } from '../../src/ledger/file/file-figures.ts';
import { readFileRow, readOutputs } from '../../src/ledger/file/read-file.ts';
import { readControlTotals } from '../../src/explain/read-control-totals.ts';
import { keyOf, openTestLedger, outcomesOf } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

async function read(fileId: string) {
  const file = await readFileRow(world.ledger, fileId);
  const [figures, outputs] = [await readFileFigures(world.ledger, file), await readOutputs(world.ledger, fileId)];
  return readControlTotals(world.ledger, file, { figures, outputs });
}

/** Lists the states in one line, such as `H0 agree`. */
async function states(fileId: string): Promise<string> {
  return (await read(fileId)).map(({ id, state }) => `${id} ${state}`).join(', ');
}

const EARLY = 'H0 agree, H1 agree, H2 agree, H3 agree, H4 agree, H5 agree';
const NONE = 'H0 not yet, H1 not yet, H2 not yet, H3 not yet, H4 not yet, H5 not yet';

async function reconcile(fileId: string, batchNo: number): Promise<void> {
  const batch = await world.putBatch({ fileId, batchNo }, 'result_in');
  const { file_no: fileNo } = await readFileRow(world.ledger, fileId);
  await reconcileBatch(world.ledger, keyOf(batch), fileNo, outcomesOf(batch), {});
}

describe('readControlTotals', () => {
  it('says of a file on its way what agrees by now, with both figures', async () => {
    expect(await states((await world.claimed()).file_id)).toBe(`${NONE}, H6 not yet, H7 not yet, H8 not yet`);
    const { file_id: fileId } = await world.accepted({ batches: 2, withheld: 1 });
    expect(await states(fileId)).toBe(`${EARLY}, H6 not yet, H7 not yet, H8 not yet`);
    const [, , , rows, batches] = await read(fileId);
    expect(rows!.says).toBe('5 rows = 4 valid + 1 withheld');
    expect(batches!.says).toBe('valid 4 rows 14.00 = batches 4 rows 14.00');
  });

  it('compares outcomes and cancelled batches with what was cut, once every batch has ended', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    await reconcile(fileId, 1);
    await world.putBatch({ fileId, batchNo: 2 }, 'cancelled');
    expect(await states(fileId)).toBe(`${EARLY}, H6 agree, H7 agree, H8 not yet`);
    await recordOutput(
      world.ledger,
      { file: await readFileRow(world.ledger, fileId) },
      { kind: 'summary-txt', name: 's', sha256: '', bytes: 0, rows: 0 },
    );
    expect(await states(fileId)).toBe(`${EARLY}, H6 agree, H7 agree, H8 agree`);
  });

  it('shows a lost row', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 1 });
    await reconcile(fileId, 1);
    const { file_no: fileNo } = await readFileRow(world.ledger, fileId);
    await world.force('UPDATE batch_outcome SET rows = rows - 1 WHERE file_no = $1', [fileNo]);
    expect(await states(fileId)).toContain('H7 differ');
  });

  it('shows a result that does not fit', async () => {
    const { file_id: fileId } = await world.batchIn('exception');
    expect(await states(fileId)).toContain('H6 differ, H7 not yet');
  });

  it.each([
    [{ rows: 9 }, 'CONTROL_TOTALS', 'H0 differ, H1 agree'],
    [null, 'MODIFIED_AFTER_CLAIM', 'H0 agree, H1 differ'],
  ])('shows what a held file differs in: %j, %s', async (control, code, expected) => {
    const { file_id: fileId } = await world.held();
    await world.force('UPDATE file SET control = $2, reason_code = $3 WHERE file_id = $1', [fileId, control, code]);
    expect(await states(fileId)).toContain(expected);
  });

  it('needs no result of a file that was cancelled before anything was sent, and nothing of a refused one', async () => {
    const { file_id: fileId } = await world.accepted();
    await world.putBatch({ fileId, batchNo: 1 }, 'cancelled');
    await world.putFile(fileId, 'cancelled');
    expect(await states(fileId)).toBe(`${EARLY}, H6 not needed, H7 agree, H8 not needed`);
    expect(await read((await world.rejected()).file_id)).toEqual([]);
  });

  it('has of a completed file what was checked when it was completed', async () => {
    const { file_id: fileId } = await world.accepted();
    await reconcile(fileId, 1);
    const controlTotals = [{ id: 'H8', holds: true, says: 'as it was checked' }];
    await completeFile(world.ledger, { file: await readFileRow(world.ledger, fileId) }, { controlTotals });
    expect(await read(fileId)).toEqual([{ id: 'H8', state: 'agree', says: 'as it was checked' }]);
  });
});
