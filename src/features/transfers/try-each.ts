import { PipelineError } from '../../kernel/errors.ts';

/**
 * Does the work for each item in turn. When a server refuses one file, the others go on; the first refusal is thrown at
 * the end. Any other error, such as a lost connection or a full disk, ends it at once.
 */
export async function tryEach<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  let refusal: PipelineError | undefined;
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (!(error instanceof PipelineError) || error.code !== 'REMOTE_FAILED') throw error;
      refusal ??= error;
    }
  }
  if (refusal) throw refusal;
}
