import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { shortId } from '../../src/kernel/ids.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import {
  fileNamed,
  goodRows,
  keptLog,
  ledgerText,
  leftOver,
  readNotice,
  readOriginal,
  sayingOf,
} from '../support/bad-input.ts';
import { CARD, codeRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { ERRORS, LEDGER_CODES } from '../../schemas/errors.ts';
import { proposeApproval } from '../../src/ledger/file/release-held.ts';
import { openCliWorld } from '../cli/support/cli-world.ts';

describe('odd drops', () => {
  it('a control file that is a link is never followed: it holds its payment file', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'paydrop-else-'));
    onTestFinished(() => rm(elsewhere, { recursive: true }));
    const world = await openPipelineWorld();
    onTestFinished(() => world.close());
    await writeFile(join(elsewhere, 'linked.csv'), 'rows=3\n');
    await symlink(join(elsewhere, 'linked.csv'), join(world.root, 'drop/ach-charge/controlled.csv.ctl'));
    await world.drop('ach-charge', 'controlled.csv', goodRows(90));
    await world.finish();
    expect((await world.states())['controlled.csv']).toBe('held');
    expect(Object.values(await world.outputs('held')).join()).toContain('CONTROL_FILE');
    expect(await readFile(join(elsewhere, 'linked.csv'), 'utf8')).toBe('rows=3\n');
  });

  /** Names that a sender may give to a good file. All go through, because the name is for people and never a path. */
  describe('an odd name', () => {
    const LONGEST_NAME_BYTES = 255;

    const NAMES: readonly { title: string; name: string | Buffer; shown: string }[] = [
      { title: 'leads upwards', name: '..\\..\\etc\\dues.csv', shown: '.._.._etc_dues.csv' },
      { title: 'has two lines', name: 'June\ndues.csv', shown: 'June_dues.csv' },
      { title: 'has an emoji', name: 'dues 🎉.csv', shown: 'dues 🎉.csv' },
      { title: 'is not UTF-8', name: Buffer.from('Jänner.csv', 'latin1'), shown: 'J\ufffdnner.csv' },
      { title: 'holds a card number', name: `card ${CARD}.csv`, shown: 'card ************2220.csv' },
      { title: 'holds a card number with dashes', name: '4222-2222-2222-2220.csv', shown: '****-****-****-2220.csv' },
      { title: 'is a formula', name: '=HYPERLINK("x").csv', shown: '=HYPERLINK("x").csv' },
      { title: 'begins with a dash', name: '-rf.csv', shown: '-rf.csv' },
      { title: 'turns its end around', name: 'dues\u202evsc.exe', shown: 'dues_vsc.exe' },
      { title: 'has quotes and commas', name: 'June, "dues".csv', shown: 'June, "dues".csv' },
      {
        title: 'is as long as a name can be',
        name: `${'j'.repeat(LONGEST_NAME_BYTES - 4)}.csv`,
        shown: `${'j'.repeat(251)}.csv`,
      },
      { title: 'is a blank', name: ' ', shown: ' ' },
      { title: 'is that of one of our own files', name: 'original', shown: 'original' },
    ];

    const { log, text: logText } = keptLog();
    const world = openedForTests(() => openPipelineWorld({ log }));
    let files: FileRow[];

    beforeAll(async () => {
      for (const [index, { name }] of NAMES.entries()) await world.drop('card', name, goodRows(index));
      await world.drop('card', 'plain.csv', goodRows(80));
      await world.finish();
      files = (await world.app.ledger.pool.query<FileRow>('SELECT * FROM file LEFT JOIN file_secret USING (file_id)'))
        .rows;
    });

    describe('a file whose name', () => {
      it.each(NAMES.map((one, index) => ({ ...one, index })))('$title goes through', async ({ shown, index }) => {
        const file = files.find((one) => one.name === shown);
        expect(files.map((one) => one.name)).toContain(shown);
        expect(file?.state).toBe('completed');
        expect((await readOriginal(world, file!)).toString()).toBe(goodRows(index));
        const outputs = (await readdir(world.settings.paths.out)).filter((name) =>
          name.includes(`__${shortId(file!.file_id)}.`),
        );
        // Acknowledgement, result and two summaries, with names that any system can hold.
        expect(outputs).toHaveLength(4);
        for (const name of outputs) expect(name).not.toMatch(/[\p{Cc}\\/<>:"|?*\u202a-\u202e]|^[.\-\s]/u);
      });
    });

    describe('all names together', () => {
      it('leave the plain file alone, and nothing behind', async () => {
        expect((await world.states())['plain.csv']).toBe('completed');
        expect(files).toHaveLength(NAMES.length + 1);
        expect(await leftOver(world)).toEqual([]);
      });

      it('carry no card number into an output, its name, the ledger or the log', async () => {
        const texts = await Promise.all(
          (['ack', 'result', 'summary-json', 'summary-txt'] as const).map((kind) => world.outputs(kind)),
        );
        const all = JSON.stringify(texts) + (await ledgerText(world)) + logText();
        expect(all).toContain('************2220');
        expect(all).not.toContain(CARD);
        expect(all).not.toContain('4222-2222-2222-2220');
      });

      it('write one log line each, whatever stands in the name', () => {
        for (const line of logText().trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
      });

      it('are shown to spreadsheets as text', async () => {
        const [ack] = Object.values(await world.outputs('ack')).filter((text) => text.includes('HYPERLINK'));
        expect(ack).toContain(`File Name,"'=HYPERLINK(""x"").csv"`);
      });
    });
  });
});

/** Limits, and the second person who decides on what exceeds them, from the drop to the booking. */

const world = openedForTests(() =>
  openCliWorld({
    account: {
      limits: { rowAmount: 1_000, fileRows: 5, dayTotal: 5_000 },
      secondPerson: { refunds: true, overrides: true },
    },
    folder: { limits: { rowAmount: 500, fileTotal: 800.5 }, sameTotals: 'off', unusualFactor: 0 },
  }),
);

let first = 0;
/** Returns rows that no other file has. */
function rowsOf(...amounts: string[]): string {
  first += 100;
  return lines(amounts.map((amount, index) => codeRow(first + index, { amount })));
}

describe('a file', () => {
  it.each([
    [
      'an amount at the limit of the folder, which is tighter than that of the account',
      ['500.00', '300.50'],
      undefined,
    ],
    ['an amount above it', ['500.01'], ['LIMIT_ROW_AMOUNT', '500.01, at most 500.00']],
    ['as many rows as may be', upTo(5).map(() => '1.00'), undefined],
    ['a row too many', upTo(6).map(() => '1.00'), ['LIMIT_FILE_ROWS', '6 rows, at most 5']],
    ['a total that is too large', ['400.00', '400.51'], ['LIMIT_FILE_TOTAL', '800.51, at most 800.50']],
  ] as [string, string[], [keyof typeof ERRORS, string]?][])(
    'with %s: the same verdict before and after the drop',
    async (_, amounts, fault) => {
      const name = `limits-${(first += 100)}.csv`;
      const content = rowsOf(...amounts);
      const path = join(world.root, name);
      await writeFile(path, content);
      const checked = await world.paydrop('validate', path, '--operation', 'ach-charge', '--json');
      const said = JSON.parse(checked.out) as { decision: { verdict: string; code?: string }; notChecked: string[] };
      expect(said.decision).toMatchObject(fault ? { verdict: 'hold', code: fault[0] } : { verdict: 'accept' });
      expect(said.notChecked).toEqual(LEDGER_CODES);

      await world.drop('ach-charge', name, content);
      await world.finish();
      const file = await fileNamed(world, name);
      expect(file.state).toBe(fault ? 'held' : 'completed');
      if (!fault) return;
      const { faults } = await readNotice(world, file, 'held');
      expect(faults).toMatchObject([{ ...sayingOf(fault[0] as 'LIMIT_ROW_AMOUNT') }]);
      expect(faults[0]!.reason).toBe(`${ERRORS[fault[0]].means}: ${fault[1]}`);
    },
    60_000,
  );

  it('with a withheld row above the limits is not held for it: that row moves no money', async () => {
    const rows = [...upTo(4).map((n) => codeRow(9_000 + n)), codeRow(9_005, { amount: '700.00', code: '' })];
    await world.drop('ach-charge', 'withheld.csv', lines(rows));
    await world.finish();
    const file = await fileNamed(world, 'withheld.csv');
    // One bad row of five is too many, and the only reason.
    expect(file).toMatchObject({ state: 'held', reason_code: 'TOO_MANY_BAD_ROWS' });
    expect(file.reason).not.toContain('LIMIT');
  });
});

describe('a refund, where refunds take two persons', () => {
  it('is held however good it is, and validate says so too', async () => {
    const content = rowsOf('-20.00', '-30.00');
    await writeFile(join(world.root, 'refunds.csv'), content);
    const checked = await world.paydrop('validate', join(world.root, 'refunds.csv'), '--operation', 'ach-refund');
    expect(checked).toMatchObject({ status: 3 });
    expect(checked.out).toContain('HELD (APPROVAL_DUE)');
    await world.drop('ach-refund', 'refunds.csv', content);
    await world.finish();
    expect(await fileNamed(world, 'refunds.csv')).toMatchObject({ state: 'held', reason_code: 'APPROVAL_DUE' });
    expect(world.sandbox.books().filter((row) => row.amountCents < 0)).toEqual([]);
  });

  it('goes when one person proposed and another confirmed', async () => {
    const { file_id: fileId } = await fileNamed(world, 'refunds.csv');
    const because = { actor: 'operator:somebody-else', reason: 'the list of Ms Byron' };
    const no = await proposeApproval(world.app.ledger, fileId, because);
    await world.finish();
    expect(await world.states()).toMatchObject({ 'refunds.csv': 'held' });
    expect((await world.paydrop('status')).out).toContain('Waiting for a second person');
    expect(await world.paydrop('confirm', String(no))).toMatchObject({ status: 0, err: '' });
    await world.finish();
    expect(await world.states()).toMatchObject({ 'refunds.csv': 'completed' });
    const refunds = world.sandbox.books().filter((row) => row.amountCents < 0);
    expect(refunds.map((row) => row.amountCents).toSorted((one, other) => one - other)).toEqual([-3_000, -2_000]);
  });
});
