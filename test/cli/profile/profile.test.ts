import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadSample, SampleReading } from '../../../src/actions/profile/compare-sample.ts';
import { confirmProfileWith } from '../../../src/actions/profile/confirm-profile.ts';
import { HANDLERS } from '../../../src/actions/handlers.ts';
import { runConfirm } from '../../../src/cli/profile/profile.ts';
import { readOpenProposals } from '../../../src/ledger/proposal/proposals.ts';
import { PROFILE_TEXT } from '../../ledger/support/put-version.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { fakeTerminal, pipedInput, takeDown } from '../support/run-here.ts';
import { FEATURES } from '../../../src/features.ts';

const ME = `operator:${userInfo().username}`;
const OTHER_TEXT = PROFILE_TEXT.replace("decimal: '.'", "decimal: ','");
const WHY = ['--reason', 'new export of June'];
const FIGURES = ['--rows', '24', '--total', '1355.00'];

const world = openedForTests(async () => {
  const opened = await openCliWorld({
    settings: {
      folders: [
        { path: 'drop/ach-charge', account: 'main', operation: 'ach-charge', profile: 'dues' },
        { path: 'drop/ach-refund', account: 'main', operation: 'ach-refund', profile: 'refunds' },
      ],
    },
  });
  for (const [name, text] of [
    ['dues', ACH_TEXT],
    ['other', OTHER_TEXT],
    ['faulty', 'layout: card\nnope: 1\n'],
  ])
    await writeFile(join(opened.root, `${name}.yaml`), text!);
  await writeFile(join(opened.root, 'june.csv'), 'a sample');
  return opened;
});

const ACH_TEXT = PROFILE_TEXT.replace('card-code', 'ach-code');

/** Stands for the reader of samples. */
let reading: SampleReading = {
  fits: true,
  rows: 24,
  cents: 135_500,
  amounts: [2_500],
  skipped: [{ name: 'Payment', rows: 2, cents: -6_000 }],
};
const readHere: ReadSample = async (_profile, _bytes, { folder: { operation } }) =>
  reading.fits && operation === 'ach-refund' ? { ...reading, cents: -reading.cents } : reading;
const built = { ...HANDLERS };
beforeAll(() => void Object.assign(HANDLERS, { 'confirm-profile': confirmProfileWith(readHere) }));
afterAll(() => void Object.assign(HANDLERS, built));

const profile = (...words: string[]) => world.paydrop('profile', ...words);
const at = (name: string) => join(world.root, name);

describe('profile check', () => {
  it('lists every fault with its line and code: 1', async () => {
    expect(await profile('check', at('dues.yaml'))).toEqual({ status: 0, out: 'No faults.\n', err: '' });
    const { status, out } = await profile('check', at('faulty.yaml'), '--json');
    expect(status).toBe(1);
    expect(JSON.parse(out).faults[0]).toEqual({
      code: 'PROFILE_KEY',
      line: expect.any(Number),
      message: expect.any(String),
    });
    expect((await profile('check', at('faulty.yaml'))).out).toMatch(/^line \d+: .+ \(PROFILE_KEY\)$/m);
  });

  it('also checks it for a folder', async () => {
    expect((await profile('check', at('other.yaml'))).status).toBe(0);
    const { status, out } = await profile('check', at('other.yaml'), '--folder', 'drop/ach-charge');
    expect([status, out]).toEqual([1, expect.stringContaining('PROFILE_LAYOUT')]);
    expect(await profile('check', at('dues.yaml'), '--folder', 'drop/none')).toMatchObject({ status: 1, out: '' });
    expect((await profile('check', at('none.yaml'))).err).toContain('there is no such file');
  });
});

/** The tests build on each other, as a person works. */
describe('profile import, export, list, show and diff', () => {
  it('knows a profile that only a folder names', async () => {
    const [first] = JSON.parse((await profile('list', '--json')).out);
    expect(first).toMatchObject({ name: 'dues', folders: ['drop/ach-charge'], confirmed: null, state: 'missing' });
    expect(await profile('show', 'dues')).toMatchObject({ status: 1, out: '' });
  });

  it('plans, imports once, and writes the text back', async () => {
    expect((await profile('import', at('dues.yaml'), '--plan')).out).toContain('nothing was changed');
    const imported = await profile('import', at('dues.yaml'), ...WHY);
    expect(imported).toMatchObject({ status: 0, err: '' });
    expect(imported.out).toContain('Imported: dues version 1, a draft.');
    expect(imported.out).toContain('profile confirm dues --sample SAMPLE');
    await writeFile(at('copy.yaml'), (await profile('export', 'dues')).out);
    const again = JSON.parse((await profile('import', at('copy.yaml'), '--name', 'dues', ...WHY, '--json')).out);
    expect(again).toMatchObject({ name: 'dues', version: 1, isNew: false, made_by: ME });
  });

  it('needs a reason, a good text and a good name', async () => {
    expect((await profile('import', at('dues.yaml'))).err).toContain('reason');
    const faulty = await profile('import', at('faulty.yaml'), ...WHY);
    expect([faulty.status, faulty.err]).toEqual([1, expect.stringContaining('PROFILE_KEY')]);
    expect((await profile('import', at('dues.yaml'), '--name', 'Dues!', ...WHY)).err).toContain('lower-case');
  });

  it('shows who made which version, its text, and what differs', async () => {
    await writeFile(at('dues.yaml'), ACH_TEXT.replace("decimal: '.'", "decimal: ','"));
    expect((await profile('import', at('dues.yaml'), ...WHY)).out).toContain('decimal');
    const { out } = await profile('show', 'dues@1');
    expect(out).toContain('Version 2: draft');
    expect(out).toContain(`by ${ME}`);
    expect(out).toContain('Text of version 1');
    expect(JSON.parse((await profile('diff', 'dues', '1', '2', '--json')).out)).toEqual({
      name: 'dues',
      from: 1,
      to: 2,
      changes: [expect.stringContaining('decimal')],
    });
    expect((await profile('diff', 'dues', '2', '2')).out).toContain('do not differ');
    expect(await profile('diff', 'dues', '1', '7')).toMatchObject({ status: 1, out: '' });
  });
});

describe('profile confirm', () => {
  const confirm = (...words: string[]) => profile('confirm', 'dues', '--sample', at('june.csv'), ...words);

  it('has no way around the figures', async () => {
    expect(await confirm('--yes', ...FIGURES, ...WHY)).toMatchObject({ status: 1, out: '' });
    const { status, err } = await confirm('--rows', '24', '--json', ...WHY);
    expect([status, err]).toEqual([1, expect.stringContaining('--rows or --total is missing')]);
  });

  it('says both figures and what may explain it when they differ: 2', async () => {
    const { status, out, err } = await confirm('--rows', '24', '--total', '1295.00', ...WHY);
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain('you gave 24 payments with 1,295.00, and the sample has 24 payments with 1,355.00');
    expect(err).toContain('The rows left out as "Payment" have just this sum.');
  });

  it('says why the profile cannot read the sample: 2', async () => {
    const before = reading;
    reading = { fits: false, says: ['Line 14, "Due": the amount has no decimals.'] };
    const { status, err } = await confirm(...FIGURES, ...WHY);
    reading = before;
    expect([status, err]).toEqual([2, expect.stringContaining('Line 14, "Due"')]);
  });

  it('confirms what a person at a terminal has typed, down to the name of the folder', async () => {
    const call = (options: Record<string, string | true>) => ({
      arguments: ['dues@1'],
      options: { sample: at('june.csv'), reason: 'new export', ...options },
      dir: world.root,
      features: FEATURES,
    });
    const wrong = fakeTerminal(['24', '1,355.00', 'drop/other']);
    const refused = takeDown(() => runConfirm(call({ folder: 'drop/ach-charge' }), wrong));
    await expect(refused).rejects.toThrow('that is not the name of its folder');
    expect((await profile('show', 'dues')).out).toContain('Version 1: draft');
    const terminal = fakeTerminal(['24', '1,355.00', 'drop/ach-charge']);
    await expect(runConfirm(call({}), pipedInput())).rejects.toMatchObject({ code: 'USAGE' });
    const { result, out } = await takeDown(() => runConfirm(call({}), terminal));
    expect(result).toBe(0);
    expect(terminal.shown()).toContain('Number of payments in your accounting system: ');
    expect(out).toContain('Both agree.');
    expect(out).toContain('Confirmed: dues version 1 reads the files of drop/ach-charge.');
  });

  it('confirms the newest draft in a script, in place of the version before', async () => {
    const { status, out } = await confirm(...FIGURES, ...WHY, '--json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ name: 'dues', version: 2, state: 'confirmed', folder: 'drop/ach-charge' });
    const [dues] = JSON.parse((await profile('list', '--json')).out);
    expect(dues).toMatchObject({ confirmed: 2, newest: 2, state: 'confirmed', confirmedBy: ME });
    expect((await profile('list')).out).toContain('version 2');
  });

  it('only proposes it to its author where the folder refunds: 3', async () => {
    await profile('import', at('dues.yaml'), '--name', 'refunds', ...WHY);
    const words = ['confirm', 'refunds', '--sample', at('june.csv'), ...FIGURES, ...WHY];
    const { status, out } = await profile(...words);
    expect([status, out]).toEqual([3, expect.stringContaining('Another person runs:')]);
    const [open] = await readOpenProposals(world.app.ledger);
    expect((await world.paydrop('proposals')).out).toMatch(/confirm-profile +profile +refunds version 1/);
    const own = await world.paydrop('confirm', String(open!.proposal_no));
    expect([own.status, own.err]).toEqual([5, expect.stringContaining('Ask another person')]);
    const refused = await world.paydrop('refuse', String(open!.proposal_no), '--reason', 'not yet');
    expect([refused.status, refused.out]).toEqual([0, expect.stringContaining('for refunds version 1')]);
  });
});

describe('a folder whose profile is not confirmed', () => {
  it('is named with what to do by status, why, doctor and a run: 3', async () => {
    const retired = await profile('retire', 'dues', ...WHY);
    expect(retired.out).toContain('Folder drop/ach-charge takes nothing');
    await world.drop('ach-charge', 'july.csv', 'Number,Customer,Memo,Due\n');
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(3);
    expect(out).toContain('Folder drop/ach-charge takes no files: the profile dues was retired (PROFILE_UNCONFIRMED)');
    expect(out).toContain('"paydrop profile import dues.yaml --reason …", then "paydrop profile confirm dues');
    expect(out).toContain('Folder drop/ach-refund takes no files: no version of the profile refunds is confirmed');
    const why = await world.says('why', 'july.csv');
    expect(why).toContain('It lies in folder drop/ach-charge.');
    expect(why).toContain('the profile dues was retired');
    expect(why).toContain('paydrop profile confirm dues --sample SAMPLE --reason …');
    expect((await world.paydrop('doctor')).out).toContain('the profile dues was retired (PROFILE_UNCONFIRMED)');
    const ran = await world.paydrop('run', '--once', '--timeout', '60');
    expect([ran.status, await world.states()]).toEqual([3, {}]);
  });
});
