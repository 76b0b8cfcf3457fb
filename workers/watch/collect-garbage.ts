import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage now and returns the memory, blocking for some 20 ms. Call it after work with many large buffers:
 * they lie outside V8's heap, and V8 is slow to free them.
 */
export function collectGarbage(): void {
  collect ??= exposeCollector();
  collect();
}

let collect: (() => void) | undefined;

/** Returns the collector, which V8 shows to contexts made while the flag is set. */
function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collector as () => void;
}
