import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Call } from '../../../src/cli/command.ts';
import { chooseWay, readReport, WAY_OPTIONS } from '../../../src/cli/resolve/choose-way.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-reports-'));
  await writeFile(join(folder, 'r.csv'), 'a,b');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function choose(options: Call['options']) {
  return chooseWay({ arguments: ['monday.csv/1'], dir: '.', options });
}

describe('chooseWay', () => {
  it.each<[Call['options'], object | undefined]>([
    [{}, undefined],
    [{ adopt: ' 1002 ' }, { action: 'adopt', filled: { batchId: '1002' } }],
    [{ probe: true }, { action: 'probe' }],
    [{ probe: '10..20' }, { action: 'probe', filled: { from: '10', to: '20' } }],
    [
      { notReceived: true, evidence: 'Ann, ticket 4' },
      { action: 'not-received', filled: { evidence: 'Ann, ticket 4' } },
    ],
    [{ notReceived: true }, { action: 'not-received', filled: { evidence: '' } }],
    [{ closeInDoubt: true }, { action: 'close-in-doubt' }],
    [{ disown: true }, { action: 'disown' }],
  ])('reads %j', async (options, way) => {
    expect(await choose(options)).toEqual(way);
  });

  it.each(['report', 'journal'])('reads the report that --%s names', async (name) => {
    const file = { name: 'r.csv', bytes: Buffer.from('a,b') };
    expect(await choose({ [name]: join(folder, 'r.csv') })).toEqual({ action: 'journal', file });
  });

  it.each<[Call['options'], string]>([
    [{ adopt: '1', probe: true }, '2 options are given'],
    [{ probe: '10-20' }, 'not written as FROM..TO'],
    [{ probe: '1..1234567890123456789' }, 'not written as FROM..TO'],
    [{ adopt: '1', evidence: 'x' }, '--evidence belongs to --not-received'],
  ])('refuses %j', async (options, words) => {
    await expect(choose(options)).rejects.toThrow(words);
    await expect(choose(options)).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('has an option for every way', () => {
    expect(WAY_OPTIONS.map(([flags]) => flags.split(' ')[0])).toEqual([
      '--adopt',
      '--probe',
      '--not-received',
      '--report',
      '--close-in-doubt',
      '--disown',
    ]);
  });
});

describe('readReport', () => {
  it('refuses what is missing, no file, or larger than any report, without naming more than the file', async () => {
    const missing = readReport(join(folder, 'nowhere.csv'));
    await expect(missing).rejects.toThrow('Cannot read the report "nowhere.csv": there is no such file');
    await expect(readReport(folder)).rejects.toThrow('EISDIR');
    const large = join(folder, 'large.csv');
    await writeFile(large, '');
    await truncate(large, 1024 ** 3);
    await expect(readReport(large)).rejects.toThrow('it is too large for a report of the service');
  });
});
