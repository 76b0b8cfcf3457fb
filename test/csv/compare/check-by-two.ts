import type { CheckOptions, CheckRules } from '../../../src/csv/check/check-payment-file.ts';
import type { BesideOrder } from '../../../src/csv/scan/scan-beside.ts';
import type { WorkThread } from '../../../src/thread/open-thread.ts';
import { checkByBytes, type Outcome } from './check-by-bytes.ts';

/**
 * Checks a payment file with a second thread. It waits for the thread to start, so the thread gets a share of any file
 * of several blocks.
 * @param change of the thread's order, for tests of the tests
 */
export function checkByTwo(thread: WorkThread, change: (order: BesideOrder) => BesideOrder = (order) => order) {
  return (source: AsyncIterable<Uint8Array>, rules: CheckRules, groupLines?: number): Promise<Outcome> => {
    let starting: Promise<void> | undefined;

    const beside: CheckOptions['beside'] = (module, order) => {
      const work = thread.run(module, change(order as BesideOrder));
      let tellReady = () => {};
      starting = new Promise((resolve) => {
        tellReady = resolve;
      });
      return (async function* watched() {
        for await (const item of work) {
          tellReady();
          yield item;
        }
        return undefined;
      })();
    };
    async function* patient(): AsyncGenerator<Uint8Array> {
      for await (const piece of source) {
        yield piece;
        await starting;
      }
    }

    return checkByBytes(patient(), rules, groupLines, beside);
  };
}
