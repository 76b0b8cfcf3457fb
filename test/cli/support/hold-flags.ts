import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { onTestFinished } from 'vitest';

/**
 * Keeps the flags that are asked for from this process until the test ends: they would hold for all tests that come after.
 * @returns those that were asked for so far
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

/** The line of a script by which a process of its own, which takes no TypeScript, gets such flags. */
export function setFlags(flags: readonly string[]): string {
  return `import { setFlagsFromString } from 'node:v8'; ${JSON.stringify(flags)}.forEach((flag) => setFlagsFromString(flag));`;
}
