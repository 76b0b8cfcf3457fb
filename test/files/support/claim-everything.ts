/** Prints `ready`, waits for a line, then claims everything in the folder and prints one line per claim. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { newFileId } from '../../../src/kernel/ids.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { claimDrop } from '../../../src/files/claims/claim-drop.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';

const [path = '', workRoot = ''] = process.argv.slice(2);
const folder = { id: 'cards', account: 'main', operation: 'card' } as const;
const scanner = createFolderScanner({ path, complete: { by: 'quiet', quietMs: 0, probes: 1 } }, systemClock);

writeSync(1, 'ready\n');
await once(process.stdin, 'data');
const { settled } = await scanner.scan();
for (const candidate of settled) {
  const outcome = await claimDrop(candidate, { workRoot, folder, clock: systemClock, fileId: newFileId() });
  if (outcome.is === 'claimed') writeSync(1, `${outcome.claim.notes.name}\n`);
}
process.exit(0);
