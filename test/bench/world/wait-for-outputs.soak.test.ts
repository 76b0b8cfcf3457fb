import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countResults } from '../../../bench/world/count-results.ts';
import { waitForOutputs } from '../../../bench/world/wait-for-outputs.ts';

let out: string;
beforeEach(async () => (out = await mkdtemp(join(tmpdir(), 'paydrop-outputs-'))));
afterEach(() => rm(out, { recursive: true }));

const put = (name: string, text = '') => writeFile(join(out, name), text);

describe('waitForOutputs', () => {
  it('waits for the last output of each file', async () => {
    let isDone = false;
    const waiting = waitForOutputs(out, 2).then(() => (isDone = true));
    await put('a__1.result.csv');
    await put('a__1.summary.txt');
    expect(isDone).toBe(false);
    await put('b__2.summary.txt');
    await waiting;
    expect(isDone).toBe(true);
  });

  it.each(['a__1.nak.csv', 'a__1.held.csv'])('does not wait for what will never come: %s', async (name) => {
    await put(name);
    await expect(waitForOutputs(out, 1)).rejects.toThrow(name);
  });

  it('loses its patience when nothing comes', async () => {
    await expect(waitForOutputs(out, 1, 20)).rejects.toThrow('in time');
  });
});

describe('countResults', () => {
  it('counts the rows of results below their titles, and no other outputs', async () => {
    await put('a__1.result.csv', 'Line,Amount\n1,5.00\n2,6.00\n');
    await put('b__2.result.csv', 'Line,Amount\n1,5.00\n');
    await put('b__2.ack.csv', 'one\ntwo\nthree\n');
    expect(await countResults(out)).toBe(3);
  });
});
