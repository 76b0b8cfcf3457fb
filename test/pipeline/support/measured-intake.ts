import { openApp } from '../../../src/app.ts';
import { loadSettings } from '../../../src/config/config.ts';
import { openLog } from '../../../src/kernel/log.ts';
import { bindHere } from '../../../workers/bind-here.ts';
import { checkFolders } from '../../../workers/watch/check-folders.ts';
import { startWatcher } from '../../../workers/watch/watch.ts';
import { peakBytes } from '../../../bench/measure/peak-memory.ts';
import { intakeFile } from '../../support/work-alone.ts';

/**
 * Runs as a process of its own: claims what lies in an installation's drop folders, takes it in, and prints what it
 * found and the peak memory of the process.
 */
const [root = ''] = process.argv.slice(2);
const settings = loadSettings(root, process.env);
const app = await openApp(settings, { log: openLog({ level: 'warn' }), env: process.env });
await bindHere(app);
await checkFolders(settings);
const watcher = await startWatcher(app);
const files = await claimedFiles();
await watcher.stop();
for (const fileId of files) await intakeFile(app, { fileId });
const { rows } = await app.ledger.pool.query(
  `SELECT state, records, valid_rows AS "validRows", (SELECT count(*) FROM payment_row) AS kept,
          (SELECT sum(rows) FROM batch)::bigint AS batched FROM file`,
);
await app.close();
console.log(JSON.stringify({ files: rows, peakMb: peakBytes() / 1024 / 1024 }));

async function claimedFiles(): Promise<string[]> {
  for (;;) {
    await watcher.look();
    const { rows: found } = await app.ledger.pool.query<{ file_id: string }>('SELECT file_id FROM file');
    if (found.length > 0) return found.map((row) => row.file_id);
  }
}
