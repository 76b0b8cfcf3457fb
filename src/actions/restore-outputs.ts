import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { App } from '../app.ts';
import { writeOutput } from '../files/outputs/write-output.ts';
import type { FileRow } from '../ledger/engine/records.ts';
import { type OutputCheck, rebuildOutputs } from '../../workers/deliver/rebuild-outputs.ts';

/**
 * Restores the outputs of a file that are missing in the out folder, byte for byte as recorded in the ledger. Existing
 * ones, changed or not, are left alone, and so are those that cannot be reproduced exactly.
 * @returns what was found, and the names of the restored ones
 */
export async function restoreOutputs(app: App, file: FileRow): Promise<{ checks: OutputCheck[]; restored: string[] }> {
  const dir = await mkdtemp(join(app.settings.paths.data, 'rebuild-'));
  try {
    const checks = await rebuildOutputs(app, file, dir);
    const lost = checks.filter(({ onDisk, rebuilt }) => onDisk === 'missing' && rebuilt === 'same');
    for (const { name } of lost) {
      const write = (out: NodeJS.WritableStream) => pipeline(createReadStream(join(dir, name)), out, { end: false });
      await writeOutput({ dir: app.settings.paths.out, name, write });
    }
    return { checks, restored: lost.map(({ name }) => name) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
