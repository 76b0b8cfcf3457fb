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
 * Reads a payment file from its first byte to its last and hands on its rows as they come, group by group. The next is read
 * only when this one was taken, so whoever is slow costs no memory. A large file is scanned by two threads, where there is
 * a processor for each.
 * @param options.contentBytes left out of a file that must not be read faster than others
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

/** A smaller file is read before a thread has done enough to make up for its start. */
const TWO_THREADS_BYTES = 32 * 1024 * 1024;
