import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { onTestFinished } from 'vitest';

/**
 * Withholds V8 flags from this process until the test ends, because they would affect all later tests.
 * @returns the flags requested so far
 */
export function holdFlags(): readonly string[] {
  const { setFlagsFromString } = v8;
  const held: string[] = [];
  const replace = (set: typeof setFlagsFromString) => {
    v8.setFlagsFromString = set;
    syncBuiltinESMExports();
  };
  replace((flag) => void held.push(flag));
  onTestFinished(() => replace(setFlagsFromString));
  return held;
}

/** Returns a script line that sets such flags in a separate process, which runs no TypeScript. */
export function setFlags(flags: readonly string[]): string {
  return `import { setFlagsFromString } from 'node:v8'; ${JSON.stringify(flags)}.forEach((flag) => setFlagsFromString(flag));`;
}
