import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSuggest } from '../../../src/cli/profile/suggest.ts';
import { parseProfile } from '../../../src/csv/profile/profile-text.ts';
import { makeWorkbook, STYLE, styled } from '../../csv/workbook/support/make-workbook.ts';
import { putConfirmed } from '../../ledger/support/put-version.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { fakeTerminal } from '../support/run-here.ts';
import { FEATURES } from '../../../src/features.ts';

const SAMPLE = [
  'Acme Swim Club Inc',
  'Num,Member,Date,Amount,Balance,Memo',
  ...[1, 2, 3, 4, 5, 6].map((row) => `100${row},A1000${row},06/${12 + row}/2026,"1,2${row}0.00",${row}0.00,June dues`),
  'TOTAL,,,"7,410.00",,',
].join('\n');

const ANSWERS = {
  layout: 'ach-code',
  'column:invoice': 'Num',
  'column:customerCode': 'Member',
  'column:amount': 'Amount',
  'column:comment': 'Memo',
  above: ['Acme Swim Club Inc'],
  whole: 'no',
  negative: 'hold',
  total: 'once',
  repeated: 'no',
  ignored: ['Date', 'Balance'],
};

const world = openedForTests(async () => {
  const opened = await openCliWorld({
    settings: {
      folders: [
        { path: 'drop/ach-charge', account: 'main', operation: 'ach-charge' },
        { path: 'drop/read-here', account: 'main', operation: 'ach-charge', profile: 'read-here' },
      ],
    },
  });
  await writeFile(join(opened.root, 'june.csv'), `${SAMPLE}\n`);
  await writeFile(join(opened.root, 'june.json'), JSON.stringify(ANSWERS));
  return opened;
});

const at = (name: string) => join(world.root, name);
const suggest = (...words: string[]) =>
  world.paydrop('profile', 'suggest', at('june.csv'), '--folder', 'drop/ach-charge', ...words);

describe('profile suggest', () => {
  it('without a terminal lists the open questions and writes ??? for them: 2', async () => {
    const { status, out } = await suggest();
    expect(status).toBe(2);
    expect(out).toContain('june.csv: 9 lines; comma; utf-8; titles on line 2; 6 rows, 1 total row');
    expect(out).toContain('[layout]');
    expect(out).toContain('layout: ???');
  });

  it('with all answers writes a profile that checks without faults: 0', async () => {
    const { status, out } = await suggest('--answers', at('june.json'), '--out', at('made.yaml'));
    expect(out).toContain('Written: made.yaml. Nothing reads with it yet. Next:');
    expect(status).toBe(0);
    expect(parseProfile(await readFile(at('made.yaml'), 'utf8'))).toHaveProperty('profile');
    const preview = await world.paydrop(
      'profile',
      'preview',
      at('made.yaml'),
      at('june.csv'),
      '--folder',
      'drop/ach-charge',
    );
    expect(preview.out).toMatch(/ {2}Amount +1,210\.00 +-> Amount: 1210\.00\n/);
    expect(preview.out).toMatch(/ {2}Balance +10\.00 +-> not sent\n/);
    expect(preview.out).toContain('6 payments, total 7,410.00\nLeft out: total row TOTAL | 7,410.00\n');
  });

  it('asks one question after the other at a terminal, and takes what is suggested for Enter', async () => {
    const terminal = fakeTerminal(['', '', '1', '1', '', '', '', '', '', '', 'y']);
    const options = { folder: 'drop/ach-charge', out: at('asked.yaml') };
    expect(
      await runSuggest({ arguments: [at('june.csv')], options, dir: world.root, features: FEATURES }, terminal),
    ).toBe(0);
    expect(terminal.shown()).toContain('Which column is charged?');
    expect(parseProfile(await readFile(at('asked.yaml'), 'utf8'))).toHaveProperty('profile');
  });

  it('looks at a workbook by the types of its cells', async () => {
    const rows = [1, 2, 3].map((row) => [
      1000 + row,
      `A1000${row}`,
      styled(46_188, STYLE.date),
      1_200.5 + row,
      row,
      'dues',
    ]);
    const titles = ['Num', 'Member', 'Date', 'Amount', 'Balance', 'Memo'];
    await writeFile(at('june.xlsx'), makeWorkbook({ rows: [['Acme Swim Club Inc'], titles, ...rows] }));
    const call = ['profile', 'suggest', at('june.xlsx'), '--folder', 'drop/ach-charge', '--answers', at('june.json')];
    const { out } = await world.paydrop(...call);
    expect(out).toContain('june.xlsx: 5 lines; sheet "Dues"; titles on line 2; 3 rows');
    expect(out).toMatch(/amount:\s+from: Amount\s+type: number\s+sign: as-written/);
  });

  it('names a confirmed profile that reads files of the same titles', async () => {
    const text = await readFile(at('made.yaml'), 'utf8');
    await putConfirmed(
      world.app.ledger,
      'dues',
      text.replace('from: Amount', 'from: Balance').replace('- Date\n  - Balance', '- Date\n  - Amount'),
    );
    const { columns } = JSON.parse((await suggest('--answers', at('june.json'), '--json')).out);
    const whyOf = (title: string) => columns.find((one: { title: string }) => one.title === title).why;
    expect(whyOf('Invoice #')).toContain('as in dues, version 1');
    expect(whyOf('Amount')).toContain('dues, version 1, reads Balance');
  });

  it('gives the questions as JSON', async () => {
    const { status, out } = await suggest('--json');
    const found = JSON.parse(out);
    expect([status, found.isComplete, found.questions[0].id]).toEqual([2, false, 'layout']);
  });

  it.each([
    [['--name', 'No Name'], 'a profile cannot have that name'],
    [['--out', 'june.csv'], 'there is such a file'],
    [['--answers', 'june.csv'], 'they are not a JSON object'],
  ])('refuses %j: 1', async ([option = '', value = ''], why) => {
    const { status, err } = await suggest(option, option === '--name' ? value : at(value));
    expect(status).toBe(1);
    expect(err).toContain(why);
  });
});

describe('profile preview', () => {
  it('prints rows as CSV, and refuses another format', async () => {
    await suggest('--answers', at('june.json'), '--out', at('csv.yaml'));
    const preview = (...words: string[]) =>
      world.paydrop('profile', 'preview', at('csv.yaml'), at('june.csv'), '--folder', 'drop/ach-charge', ...words);
    const { out } = await preview('--format', 'csv', '--rows', '1');
    expect(out.split('\r\n')).toContain('3,Num,1001,Invoice #,1001');
    expect((await preview('--format', 'xml')).status).toBe(1);
  });

  it('says what does not fit: 2', async () => {
    await suggest('--answers', at('june.json'), '--out', at('unfit.yaml'));
    await writeFile(at('july.csv'), `${SAMPLE.replace('"1,210.00"', '1.210')}\n`);
    const { status, out } = await world.paydrop(
      'profile',
      'preview',
      at('unfit.yaml'),
      at('july.csv'),
      '--folder',
      'drop/ach-charge',
    );
    expect(status).toBe(2);
    expect(out).toContain('(NUMBER_FORMAT)');
    expect(out).toContain('A drop of this file would be held.');
  });

  it('says that one of the first files of the version that reads in the folder would be held: 2', async () => {
    const text = await readFile(at('made.yaml'), 'utf8');
    await putConfirmed(world.app.ledger, 'read-here', text);
    const preview = (name: string) =>
      world.paydrop('profile', 'preview', name, at('june.csv'), '--folder', 'drop/read-here');
    const { status, out } = await preview('read-here');
    expect([status, out]).toEqual([2, expect.stringContaining('version 1 of profile read-here, 1 such file left')]);
    expect(out).toContain('A drop of this file would be held.');
    await writeFile(at('draft.yaml'), `${text}note: a draft\n`);
    expect((await preview(at('draft.yaml'))).out).toContain('A drop of this file would be taken.');
  });
});
