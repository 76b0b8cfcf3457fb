import type { FileHandle } from 'node:fs/promises';
import type { CheckedGroup, CheckRules, FileCheck } from '../../csv/check-payment-file.ts';
import { checkContent } from '../../operator/validate/check-content.ts';
import type { ProgressLine } from '../progress.ts';
import type { OpenedDrop } from './open-drop.ts';
import type { Report } from './report.ts';

/** Reads the file from its first byte to its last, tells the faults of rows as they come, and closes it. */
export async function checkFile(
  file: FileHandle,
  rules: CheckRules,
  { report, progress, contentOf }: { report: Pick<Report, 'fault'>; progress: ProgressLine } & OpenedDrop,
): Promise<FileCheck> {
  const { size } = await file.stat();
  const source = file.createReadStream({ highWaterMark: 65_536 });
  let read = 0;
  const takeGroup = ({ packed, withheld, faults }: CheckedGroup) => {
    progress.clear();
    for (const fault of faults) report.fault(fault);
    read += packed.count + withheld.length;
    progress.show(`${read} rows, ${Math.floor((100 * source.bytesRead) / Math.max(size, 1))} %`);
  };
  const check = await checkContent(contentOf(source), rules, takeGroup, { contentBytes: size });
  progress.clear();
  return check;
}
