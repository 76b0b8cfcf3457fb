import { availableParallelism } from 'node:os';
import {
  type CheckedGroup,
  type CheckOptions,
  checkPaymentFile,
  type CheckRules,
  type FileCheck,
} from '../../csv/check/check-payment-file.ts';
import { openThread } from '../../thread/open-thread.ts';

/**
 * Reads a payment file from first to last byte and passes its rows on, group by group. It reads the next group only
 * after `takeGroup` returns, so a slow caller costs no memory. Two threads scan a large file if there are two
 * processors.
 * @param options.contentBytes size of the file; omit it to use one thread only
 */
export async function checkContent(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  takeGroup: (group: CheckedGroup) => void | Promise<void>,
  { contentBytes = 0 }: Pick<CheckOptions, 'contentBytes'> = {},
): Promise<FileCheck> {
  const thread = contentBytes >= TWO_THREADS_BYTES && availableParallelism() > 1 ? openThread() : undefined;
  const check = checkPaymentFile(source, rules, { contentBytes, ...(thread && { beside: thread.run }) });
  try {
    for (;;) {
      const step = await check.next();
      if (step.done) return step.value;
      await takeGroup(step.value);
    }
  } finally {
    await thread?.close();
  }
}

/** A smaller file is read before a second thread makes up for its start. */
const TWO_THREADS_BYTES = 32 * 1024 * 1024;
