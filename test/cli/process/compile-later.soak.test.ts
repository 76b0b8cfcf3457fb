import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { compileLater } from '../../../src/cli/process/start.ts';
import { holdFlags, setFlags } from '../support/hold-flags.ts';

/** A script that calls a function this many times. */
const work = (calls: number) => `
  function addUp(to) {
    let sum = 0;
    for (let index = 0; index < to; index += 1) sum += index % 7;
    return sum;
  }
  for (let call = 0; call < ${calls}; call += 1) addUp(10);
`;

/** Enough calls for V8's defaults, and for the flags set here. */
const [OFTEN, VERY_OFTEN] = [600, 300_000];

describe('compileLater', () => {
  it.each([
    ['left alone, V8 compiles for speed what runs often', () => {}, OFTEN, true],
    ['it leaves that as it is', compileLater, OFTEN, false],
    ['and what runs very often is compiled', compileLater, VERY_OFTEN, true],
  ])('%s', async (_promise, before, calls, isCompiled) => {
    const flags = holdFlags();
    before();
    const said = await run(setFlags(flags) + work(calls));
    expect(/completed compiling.*addUp.*TURBOFAN/.test(said)).toBe(isCompiled);
  });
});

/** @returns V8's compilation log; it compiles in line, not beside the script */
async function run(script: string): Promise<string> {
  const flags = ['--trace-opt', '--no-concurrent-recompilation', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { maxBuffer: 2 ** 26 });
  return stdout;
}
