import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planResubmission } from '../../../src/actions/resubmit.ts';
import type { App } from '../../../src/app.ts';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { readFileRow, readOutputs } from '../../../src/ledger/file/read-file.ts';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import { makeWorkbook, STYLE, styled } from '../../csv/workbook/support/make-workbook.ts';
import { readBytes } from '../../csv/workbook/support/read-workbook.ts';
import { achRow, CARD, cardRow, DATE, lines as fileOf, upTo } from '../../support/payment-rows.ts';
import { carryOut } from '../support/resolve-context.ts';
import {
  claimContent,
  linesOf,
  openProfileFolder,
  SENDER_PROFILE,
  SENDER_TITLES,
  senderRow,
} from '../support/story.ts';
import { stepWorld } from '../support/step-world.ts';
import { deliverFile, intakeFile, takeClaim } from '../../support/work-alone.ts';

const world = stepWorld({
  accounts: 6,
  special: {
    books: { outputs: { workbook: true, delimiter: 'semicolon', decimal: 'comma', columns: ['Amount Charged'] } },
    whole: { outputs: { workbook: true } },
  },
});

const BECAUSE = { actor: 'operator:ada', reason: 'compared' };

/** Takes a file to its results. */
async function delivered(messageOf: (row: number) => string, ...rows: string[]) {
  const { app, seen } = await openProfileFolder(world, SENDER_PROFILE);
  return { app, ...(await finished(app, await seen(rows, SENDER_TITLES), messageOf)) };
}

async function finished(app: App, claim: Claim, messageOf: (row: number) => string = () => 'OK: 1:') {
  await takeClaim(app, claim);
  await intakeFile(app, claim);
  const { state } = await readFileRow(app.ledger, claim.fileId);
  if (state === 'held') await approveFile(app.ledger, claim.fileId, BECAUSE);
  await carryOut(app, claim.fileId, messageOf);
  await deliverFile(app, claim);
  const outputs = await readOutputs(app.ledger, claim.fileId);
  const pathOf = (kind: string) => {
    const found = outputs.find((output) => output.kind === kind);
    return found && join(app.settings.paths.out, found.name);
  };
  const lines = async (kind: string) => {
    const path = pathOf(kind);
    return path === undefined ? undefined : linesOf(path);
  };
  return { lines, pathOf, outputs, file: await readFileRow(app.ledger, claim.fileId) };
}

describe('the results of a file that a profile reads', () => {
  it('have the titles and cells of the sender, numbers masked, then the amount that was read, then ours', async () => {
    const { lines, file } = await delivered(
      () => 'OK: 678594:',
      senderRow('R-1', '1.234,50'),
      senderRow('R-2', '20,00'),
    );
    expect(file.state).toBe('completed');
    const [head, first, second, ...more] = (await lines('result'))!;
    expect(more).toEqual([]);
    expect(head).toMatch(
      /^Line,Day,Outcome,Payer,Old Card,Due,Brand,Card,Exp,Amount \(paydrop\),Outcome \(paydrop\),Code,/,
    );
    expect(first).toMatch(
      /^2,15\.06\.2026,R-1,"Byron, Ada",[^,]*,"1\.234,50",Visa Card,[* ]+2220,12\/2035,1234\.50,APPROVED,/,
    );
    expect(second).toContain(',"20,00",Visa Card,');
    expect(second).toContain(',20.00,APPROVED,');
    const digits = [first, second].join().replace(/\d{2,}/g, (run) => (CARD.includes(run) ? run : ''));
    expect(digits).not.toMatch(/\d{5}/);
  });

  it('give rows back for correction under the titles of the sender and the version of the profile', async () => {
    const { lines } = await delivered(
      (row) => (row === 1 ? 'REJECT: 15' : 'OK: 1:'),
      senderRow('R-1', '5,00'),
      senderRow('R-2', '6,00'),
    );
    const all = [...((await lines('rejects')) ?? []), ...((await lines('retry')) ?? [])];
    expect(all[0]).toMatch(/^Day,Outcome,Payer,Old Card,Due,Brand,Card,Exp,Reason \(paydrop [0-9a-f]{8}\)$/);
    expect(all[1]).toMatch(/^15\.06\.2026,R-1,"Byron, Ada",/);
    expect(all).toHaveLength(2);
  });

  it('may be resubmitted, because the folder reads returned rows', async () => {
    const { app, file } = await delivered(() => 'REJECT: 15', senderRow('R-1', '5,00'));
    expect(await planResubmission(app, file)).toMatchObject({ lines: [2], cents: 500 });
  });
});

const BOOK_PROFILE = `layout: card-code
read: { kind: workbook, sheet: Result }
head: { titles: [Day, Number, Customer, Due] }
columns:
  invoice: { from: Number }
  customerCode: { from: Customer }
  amount: { from: Due, type: number, sign: as-written }
  comment: { value: '' }
ignore: [Day]
`;
const BOOK_TITLES = ['Day', 'Number', 'Customer', 'Due'];
const bookRow = (n: number) => [styled(46_188, STYLE.date), `K-${n}`, `A${10_000_000 + n}`, 25.1];

/** Reads the workbook of a result as texts and types. */
async function readResult(path: string | undefined, width: number) {
  const { rows, faults } = await readBytes(await readFile(path!), { sheet: 'Result', width });
  expect(faults).toEqual([]);
  return rows.map(({ cells, typed }) => ({ cells, types: typed!.types.slice(0, width) }));
}

describe('a result that is wanted as a workbook too', () => {
  const content = fileOf([
    ...upTo(10).map((n) => cardRow(n, n === 2 ? { invoice: '=1+1', amount: '20.5' } : {})),
    cardRow(11, { amount: '$25.00' }),
  ]);

  it('has the rows and columns of the CSV, amounts as numbers, dates as dates, all else as masked text', async () => {
    const claim = await claimContent(world.app, 'drop/whole/card', 'june.csv', content);
    const { lines: csv, pathOf, outputs, file } = await finished(world.app, claim);
    expect(file.state).toBe('completed');
    const [titles, first, second, ...others] = await readResult(pathOf('result-xlsx'), 25);
    const table = (await csv('result'))!.map((line) => line.split(','));
    expect(titles!.cells).toEqual(table[0]);
    expect(others.map(({ cells }) => cells.slice(2, 9))).toEqual(table.slice(3).map((cells) => cells.slice(2, 9)));
    expect(first!.cells.with(1, DATE).with(9, '25.00').with(21, '25.00')).toEqual(table[1]);
    expect(second!.cells.slice(2, 3)).toEqual(['=1+1']);
    expect(second!.cells.filter((_, place) => second!.types[place] === 'number')).toEqual(['20.5', '20.5']);
    expect(first!.types.flatMap((type, place) => (type === 'date' ? [titles!.cells[place]] : []))).toEqual(['Date']);
    expect(others.at(-1)!.cells[9]).toBe('$25.00');
    expect(JSON.stringify([first, second, others])).not.toContain(CARD);
    expect(outputs.find(({ kind }) => kind === 'result-xlsx')?.rows).toBe(11);
  });

  it('is listed in the summary, and rebuilt with the same bytes', async () => {
    const claim = await claimContent(
      world.app,
      'drop/whole/ach-charge',
      'dues.csv',
      fileOf(upTo(3).map((n) => achRow(n))),
    );
    const { pathOf, file } = await finished(world.app, claim);
    const summary = await readFile(pathOf('summary-txt')!, 'utf8');
    expect(summary).toContain(basename(pathOf('result-xlsx')!));
    const checks = await rebuildOutputs(world.app, file);
    expect(checks.filter(({ kind }) => kind === 'result-xlsx')).toEqual([
      expect.objectContaining({ onDisk: 'same', rebuilt: 'same' }),
    ]);
  });

  it('charges nothing when it is dropped again, whole or cut to the columns of the sender', async () => {
    const { app, id } = await openProfileFolder(world, BOOK_PROFILE, 'books');
    const made = makeWorkbook({ rows: [BOOK_TITLES, bookRow(1), bookRow(2)], sheets: [['Result']] });
    const { pathOf, file } = await finished(app, await claimContent(app, id, 'books.xlsx', made));
    expect(file).toMatchObject({ state: 'completed', valid_rows: 2 });
    const rows = await readResult(pathOf('result-xlsx'), 8);
    const charged = 'Line,Day,Number,Customer,Due,Amount (paydrop),Outcome,Amount Charged';
    expect(rows[0]!.cells.join()).toBe(charged);
    expect(rows[1]).toEqual({
      cells: ['2', '2026-06-15', 'K-1', 'A10000001', '25.1', '25.1', 'APPROVED', '25.1'],
      types: ['text', 'text', 'text', 'text', 'number', 'number', 'text', 'number'],
    });

    const whole = await readFile(pathOf('result-xlsx')!);
    const cut = makeWorkbook({
      rows: rows.map(({ cells }) => cells.slice(1, 5).map((cell) => (cell === '25.1' ? 25.1 : cell))),
      sheets: [['Result']],
    });
    const verdictOf = async (host: App, folder: string, bytes: Buffer) => {
      const claim = await claimContent(host, folder, 'again.xlsx', bytes);
      await takeClaim(host, claim);
      await intakeFile(host, claim);
      const { state, reason_code: code } = await readFileRow(host.ledger, claim.fileId);
      return [state, code];
    };
    expect(await verdictOf(app, id, whole)).toEqual(['rejected', 'TITLES_DIFFER']);
    expect(await verdictOf(world.app, 'drop/books/ach-charge', whole)).toEqual(['rejected', 'NOT_CSV']);
    expect(await verdictOf(app, id, cut)).toEqual(['held', 'SAME_ROWS']);
  });
});
