import {
  type CheckedGroup,
  type CheckOptions,
  checkPaymentFile,
  type CheckRules,
  type FileCheck,
} from '../../csv/check/check-payment-file.ts';

/**
 * Reads a payment file from first to last byte and passes its rows on, group by group. It reads the next group only
 * after `takeGroup` returns, so a slow caller costs no memory.
 */
export async function checkContent(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  takeGroup: (group: CheckedGroup) => void | Promise<void>,
  options: Pick<CheckOptions, 'contentBytes'> = {},
): Promise<FileCheck> {
  const check = checkPaymentFile(source, rules, options);
  for (;;) {
    const step = await check.next();
    if (step.done) return step.value;
    await takeGroup(step.value);
  }
}
