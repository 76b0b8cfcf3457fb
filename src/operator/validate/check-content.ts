import {
  type CheckedGroup,
  type CheckOptions,
  checkPaymentFile,
  type CheckRules,
  type FileCheck,
} from '../../csv/check-payment-file.ts';

/**
 * Reads a payment file from its first byte to its last and hands on its rows as they come, group by group. The next is read
 * only when this one was taken, so whoever is slow costs no memory.
 */
export async function checkContent(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  takeGroup: (group: CheckedGroup) => void | Promise<void>,
  options?: CheckOptions,
): Promise<FileCheck> {
  const check = checkPaymentFile(source, rules, options);
  for (;;) {
    const step = await check.next();
    if (step.done) return step.value;
    await takeGroup(step.value);
  }
}
