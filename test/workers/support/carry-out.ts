import type { App } from '../../../src/app.ts';
import { readBatches } from '../../../src/ledger/file/read-file.ts';
import { pollBatch } from '../../../workers/poll/poll.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { answering, answeringResult } from './scripted-gateway.ts';
import { query } from './story.ts';

let batchIds = 300;

/**
 * Sends every batch of a file and fetches its result, without a service. `messageOf` gives the answer to each row by
 * its number, counted over all batches from 1.
 */
export async function carryOut(app: App, fileId: string, messageOf: (row: number) => string): Promise<void> {
  let row = 0;
  for (const { batch_no: batchNo } of await readBatches(app.ledger, fileId)) {
    const key = { fileId, batchNo };
    batchIds += 1;
    const service = answering(app, { kind: 'submitted', batchId: String(batchIds), text: 'taken' });
    await submitBatch(service.app, key);
    await query(app, `UPDATE batch SET next_poll_at = now() - interval '1 s' WHERE file_id = $1`, [fileId]);
    const rows = service.bodies[0]!.split('\n').map((cells) => `${maskCells(cells)},${messageOf((row += 1))}\r\n`);
    await pollBatch(answeringResult(app, { kind: 'done', file: Buffer.from(rows.join('')), text: 'done' }), key);
  }
}

function maskCells(row: string): string {
  return row.replace(/\d{12,}/g, (number) => '*'.repeat(number.length - 4) + number.slice(-4));
}
