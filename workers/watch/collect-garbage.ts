import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage now and gives its memory back, in some 20 ms in which nothing else goes on. For the end of work that had
 * many large pieces of memory in its hands: they lie outside of the heap of V8, which counts them but is in no hurry.
 */
export function collectGarbage(): void {
  collect ??= exposeCollector();
  collect();
}

let collect: (() => void) | undefined;

/** V8 shows it to contexts that are made while the flag is set. */
function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collector as () => void;
}
