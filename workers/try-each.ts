import { PipelineError } from '../src/kernel/errors.ts';

/**
 * Does the work for each item in turn. A server that refuses one file does not keep the others waiting: the first such
 * refusal is thrown at the end. Every other error ends it at once, such as a connection that is gone or a full disk.
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
