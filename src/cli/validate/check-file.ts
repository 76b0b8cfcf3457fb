import type { FileHandle } from 'node:fs/promises';
import { checkPaymentFile, type CheckRules, type FileCheck } from '../../csv/check-payment-file.ts';
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
  const check = checkPaymentFile(contentOf(source), rules);
  let rows = 0;
  for (;;) {
    const step = await check.next();
    progress.clear();
    if (step.done) return step.value;
    for (const fault of step.value.flatMap((row) => row.faults)) report.fault(fault);
    rows += step.value.length;
    progress.show(`${rows} rows, ${Math.floor((100 * source.bytesRead) / Math.max(size, 1))} %`);
  }
}
