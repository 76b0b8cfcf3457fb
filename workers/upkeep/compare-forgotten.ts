import type { App } from '../../src/app.ts';
import { counted } from '../../src/kernel/counted.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { listNotCompared, noteCompared, type NotCompared } from '../../src/ledger/doubt/compare-forgotten.ts';
import { readForgotten } from '../../src/ledger/duplicates/find-forgotten-rows.ts';
import { readFileRow } from '../../src/ledger/file/read-file.ts';
import { findForgottenInFile } from '../find-forgotten-rows.ts';

/**
 * Compares waiting files with calls that were found to be forgotten after their intake. Until then nothing of them
 * leaves (schemas/ledger/gate.sql). A batch with such rows is put in doubt; in a held file they are flagged. Calls whose
 * rows nobody knows keep an accepted file back until a report was compared. A file of an account that this process may
 * not use stays as it is: nothing of it leaves, and its rows cannot be marked here.
 */
export async function compareForgotten(app: App): Promise<void> {
  for (const waiting of await listNotCompared(app.ledger)) {
    if (!app.ledger.bound.has(waiting.account)) continue;
    await compareFile(app, waiting).catch((error: unknown) => {
      const { fileId } = waiting;
      app.log.error({ fileId }, `a waiting file was not compared with forgotten calls, and stays: ${reasonOf(error)}`);
    });
  }
}

async function compareFile(app: App, { fileId, account, comparedTo }: NotCompared): Promise<void> {
  const file = await readFileRow(app.ledger, fileId);
  // Read first: a call that is found meanwhile has a higher number.
  const forgotten = await readForgotten(app.ledger.pool, account, comparedTo);
  if (file.state !== 'held' && forgotten.unknown > 0) return;
  const found = forgotten.hasRows ? await findForgottenInFile(app, file) : [];
  await noteCompared(app.ledger, file, { ...forgotten, found });
  if (found.length === 0) return;
  const rows = found.reduce((sum, batch) => sum + batch.rows.length, 0);
  app.log.error(
    { fileId, account, code: 'ROWS_SENT_BEFORE' },
    `${counted(rows, 'row')} of a waiting file may have been sent by calls that the ledger had lost`,
  );
}
