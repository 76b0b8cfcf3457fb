import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { systemCode } from '../../src/kernel/errors.ts';
import { sha256OfFile } from '../../src/kernel/hash.ts';
import { readDelivery } from '../../src/ledger/file/complete-file.ts';
import { readOutputs } from '../../src/ledger/file/read-file.ts';
import type { FileRow, OutputRow } from '../../src/ledger/engine/records.ts';
import { writeResultCorrection } from './write-result-correction.ts';
import { writeOutputs } from './write-outputs.ts';
import { NOTICE_KINDS } from './write-notice.ts';

/**
 * Result of checking one output that the ledger knows.
 * `onDisk`  the file in the out folder: `same` as the ledger says, `differs`, or `missing`
 * `rebuilt` made again from ledger and original: `same`, `differs`, or `missing` when it could not be made
 */
export type OutputCheck = {
  kind: OutputKind;
  name: string;
  onDisk: Comparison;
  rebuilt: Comparison;
};
type Comparison = 'same' | 'differs' | 'missing';

/**
 * Makes every output of a file again, from the ledger and the sealed original alone. Compares these and the files in
 * the out folder with the ledger. Nothing in the out folder is touched.
 * @param into where to leave them; without it they are only compared
 */
export async function rebuildOutputs(app: App, file: FileRow, into?: string): Promise<OutputCheck[]> {
  const outputs = await readOutputs(app.ledger, file.file_id);
  const dir = into ?? (await mkdtemp(join(app.settings.paths.data, 'rebuild-')));
  try {
    await writeAll(withOutFolder(app, dir), file.file_id, outputs);
    return await Promise.all(outputs.map((output) => compare(app, dir, output)));
  } finally {
    if (into === undefined) await rm(dir, { recursive: true, force: true });
  }
}

function withOutFolder(app: App, out: string): App {
  return { ...app, settings: { ...app.settings, paths: { ...app.settings.paths, out } } };
}

async function writeAll(app: App, fileId: string, outputs: readonly OutputRow[]): Promise<void> {
  const kinds = new Set(outputs.map((output) => output.kind));
  const delivery = await readDelivery(app.ledger, fileId);
  const { file } = delivery;
  const results = kinds.has('result');
  const notices = NOTICE_KINDS.filter((kind) => kinds.has(kind));
  const made = await writeOutputs(app, [{ delivery, notices, results, trace: (work) => work() }]);
  const why = made.get(fileId)?.why;
  if (typeof why === 'object') throw why.error;
  const corrections = new Set(outputs.map((output) => output.number).filter((number) => number > 0));
  for (const correctionNo of corrections) await writeResultCorrection(app, file, correctionNo);
}

async function compare(app: App, dir: string, { kind, name, sha256 }: OutputRow): Promise<OutputCheck> {
  const judge = async (path: string): Promise<Comparison> => {
    const found = await hashOrNothing(path);
    if (found === undefined) return 'missing';
    return found === sha256 ? 'same' : 'differs';
  };
  return { kind, name, onDisk: await judge(join(app.settings.paths.out, name)), rebuilt: await judge(join(dir, name)) };
}

async function hashOrNothing(path: string): Promise<string | undefined> {
  try {
    return await sha256OfFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
