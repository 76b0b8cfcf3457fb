import { type CheckedRow, checkPaymentFile, type CheckRules, type FileCheck } from '../../csv/check-payment-file.ts';

/**
 * Reads a payment file from its first byte to its last and hands on its rows as they come. The next are read only when
 * these were taken, so whoever is slow costs no memory.
 */
export async function checkContent(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  takeRows: (rows: readonly CheckedRow[]) => void | Promise<void>,
): Promise<FileCheck> {
  const check = checkPaymentFile(source, rules);
  for (;;) {
    const step = await check.next();
    if (step.done) return step.value;
    await takeRows(step.value);
  }
}
