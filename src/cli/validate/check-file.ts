import type { FileHandle } from 'node:fs/promises';
import { counted } from '../../kernel/counted.ts';
import type { CheckedGroup, CheckRules, FileCheck } from '../../csv/check/check-payment-file.ts';
import { checkContent } from '../../explain/validate/check-content.ts';
import type { ProgressLine } from '../print/progress.ts';
import type { OpenedDrop } from './open-drop.ts';
import type { Report } from './report.ts';

/** Reads the whole file, reports the faults of rows as they are found, and closes it. */
export async function checkFile(
  file: FileHandle,
  rules: CheckRules,
  { report, progress, contentOf }: { report: Pick<Report, 'fault'>; progress: ProgressLine } & OpenedDrop,
): Promise<FileCheck> {
  const { size } = await file.stat();
  let bytes = 0;
  let rows = 0;
  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const piece of contentOf(file)) {
      bytes += piece.length;
      yield piece;
    }
  }
  const takeGroup = ({ packed, withheld, faults }: CheckedGroup) => {
    progress.clear();
    for (const fault of faults) report.fault(fault);
    rows += packed.count + withheld.length;
    progress.show(`${counted(rows, 'row')}, ${Math.min(100, Math.floor((100 * bytes) / Math.max(size, 1)))} %`);
  };
  try {
    return await checkContent(watched(), rules, takeGroup, { contentBytes: size });
  } finally {
    progress.clear();
    await file.close();
  }
}
