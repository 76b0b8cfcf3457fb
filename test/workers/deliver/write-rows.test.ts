import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBatches, readOutputs } from '../../../src/ledger/file/read-file.ts';
import type { ReadFileRow } from '../../../src/ledger/engine/records.ts';
import { writeOutputFiles } from '../../support/write-outputs.ts';
import { resultInput } from '../../../workers/deliver/result-input.ts';
import { ROW_KINDS, shownRowPutter, writeRows } from '../../../workers/deliver/write-rows.ts';
import { achRow, CARD, cardRow, codeRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import { fileWithOutcomes, linesOf, withClearNumbers } from '../support/story.ts';
import { stepWorld } from '../support/step-world.ts';
import { newLineBuffer } from '../../../src/csv/read/line-buffer.ts';
import { type RawLines, readRawLines } from '../../../src/csv/read/read-raw-lines.ts';
import { AccountConfig, type OutputForm } from '../../../schemas/config.ts';
import { RESULT_TITLES } from '../../../schemas/layouts.ts';

const world = stepWorld({ accounts: 21, settings: { batch: { maxRows: 50 } } });

/** Writes the row outputs of a file and returns the lines of each by kind. */
async function outputsOf(file: ReadFileRow, app = world.app): Promise<Record<string, string[]>> {
  const batches = await readBatches(app.ledger, file.file_id);
  const input = await resultInput(app, file);
  await writeOutputFiles(app, file, async (outputs) => {
    await writeRows(app, file, { batches, input }, outputs);
    await outputs.publish(ROW_KINDS);
  });
  const noted = await readOutputs(app.ledger, file.file_id);
  const found = await Promise.all(
    noted.map(async ({ kind, name }) => [kind, await linesOf(join(app.settings.paths.out, name))] as const),
  );
  return Object.fromEntries(found);
}

const OUTCOME_TITLES = RESULT_TITLES.join(',');

describe('writeRows, the result', () => {
  it.each([
    ['card', cardRow, 'Date,Invoice #,First Name', 'OK: 678594:'],
    ['ach-charge', achRow, 'Invoice #,First Name', 'Received'],
    ['ach-charge', codeRow, 'Invoice #,Customer Code', 'Received'],
  ] as const)('for a file of %s begins with the titles of its columns', async (operation, row, titles, message) => {
    const file = await fileWithOutcomes(world, operation, lines([row(1)]), () => message);
    const [head, first, ...rest] = (await outputsOf(file)).result!;
    expect(head?.startsWith('Line,')).toBe(true);
    for (const title of titles.split(',')) expect(head).toContain(title);
    expect(head?.endsWith(OUTCOME_TITLES)).toBe(true);
    expect(first?.split(',')).toHaveLength(head!.split(',').length);
    expect(rest).toEqual([]);
  });

  it('has one line per row, in the order of the file, its own cells first and then what became of it', async () => {
    const rows = [cardRow(3), cardRow(1, { amount: '7.50' }), cardRow(2)];
    const file = await fileWithOutcomes(world, 'card', lines(rows), (row) =>
      row === 2 ? 'REJECT: 15' : 'OK: 678594:X',
    );
    const [, ...table] = (await outputsOf(file)).result!;
    expect(table.map((line) => line.split(',').slice(0, 13))).toEqual(
      rows.map((row, index) => [String(index + 1), ...row.replace(CARD, '************2220').split(',')]),
    );
    expect(table.map((line) => line.split(',').slice(13, 17))).toEqual([
      ['APPROVED', '', 'OK: 678594:X', '678594'],
      ['DECLINED', '15', 'REJECT: 15', ''],
      ['APPROVED', '', 'OK: 678594:X', '678594'],
    ]);
  });

  it('disarms formulas, and leaves amounts as numbers', async () => {
    const content = lines([achRow(1, { amount: '-5.00 ', comment: '=HYPERLINK("x")'.replaceAll('"', '') })]);
    const file = await fileWithOutcomes(world, 'ach-refund', content, () => '@Received');
    const [, line = ''] = (await outputsOf(file)).result!;
    expect(line).toContain(",-5.00,'=HYPERLINK(x),UNKNOWN,,'@Received,");
  });

  it('is noted with its rows, and written once however often it is asked for', async () => {
    const file = await fileWithOutcomes(world, 'card', lines([cardRow(1), cardRow(2)]), () => 'OK: 678594:');
    const [one, other] = await Promise.all([outputsOf(file), outputsOf(file)]);
    expect(one).toEqual(other);
    const outputs = await readOutputs(world.app.ledger, file.file_id);
    expect(outputs.map(({ kind, rows }) => ({ kind, rows }))).toEqual([{ kind: 'result', rows: 2 }]);
  });
});

describe('writeRows, the rejects and retry files', () => {
  it('writes nothing when every row was taken, or may have been', async () => {
    const messages = ['OK: 678594:', 'Duplicated', 'REJECT: 70', 'never heard of'];
    const file = await fileWithOutcomes(
      world,
      'card',
      lines(upTo(4).map((n) => cardRow(n))),
      (row) => messages[row - 1]!,
    );
    expect(Object.keys(await outputsOf(file))).toEqual(['result']);
  });

  it('sorts rows into what has to be corrected and what may be sent again', async () => {
    const messages = ['REJECT: 15', 'REJECT: 22', 'OK: 678594:', 'Wrong Format', 'REJECT: 14', 'REJECT: 7'];
    const file = await fileWithOutcomes(
      world,
      'card',
      lines(upTo(6).map((n) => cardRow(n))),
      (row) => messages[row - 1]!,
    );
    const { rejects, retry } = await outputsOf(file);
    expect(rejects?.[0]?.endsWith(',Reason')).toBe(true);
    expect(rejects?.slice(1).map((line) => line.split(',')[1])).toEqual(['C-1', 'C-4']);
    expect(retry?.slice(1).map((line) => line.split(',')[1])).toEqual(['C-2', 'C-5']);
    expect(rejects?.[1]).toContain('(code 15)');
    expect(retry?.[1]).toContain('may be sent again later as it is');
    const rows = await readOutputs(world.app.ledger, file.file_id);
    expect(rows.map(({ kind, rows }) => [kind, rows])).toEqual([
      ['rejects', 2],
      ['result', 6],
      ['retry', 2],
    ]);
  });

  it('masks numbers unless the folder allows them, also when the configuration has lost the folder', async () => {
    const content = lines([cardRow(1), cardRow(2, { card: MAGIC_CARD })]);
    const masked = await fileWithOutcomes(world, 'card', content, () => 'REJECT: 15');
    expect(JSON.stringify(await outputsOf(masked))).not.toMatch(new RegExp(`${CARD}|${MAGIC_CARD}`));

    const orphan = await fileWithOutcomes(world, 'card', content, () => 'REJECT: 15');
    const withoutFolder = await outputsOf(orphan, { ...world.app, folder: () => undefined });
    expect(withoutFolder.rejects).toHaveLength(3);
    expect(JSON.stringify(withoutFolder)).not.toMatch(new RegExp(`${CARD}|${MAGIC_CARD}`));

    const clear = await fileWithOutcomes(world, 'card', content, () => 'REJECT: 15');
    const { rejects, result } = await outputsOf(clear, withClearNumbers(world.app));
    expect(JSON.stringify(result)).not.toMatch(new RegExp(`${CARD}|${MAGIC_CARD}`));
    expect(rejects?.slice(1).map((line) => line.split(',')[10])).toEqual([CARD, MAGIC_CARD]);
  });

  it('with whole numbers can be dropped again as it is, and its rows are payments again', async () => {
    const rows = upTo(3).map((n) => cardRow(n));
    const file = await fileWithOutcomes(world, 'card', lines(rows), () => 'REJECT: 22');
    const { retry } = await outputsOf(file, withClearNumbers(world.app));
    const again = await world.takeIn(`drop/${file.account}/card`, lines(retry!, '\r\n'), 'again.csv');
    expect(await world.file(again)).toMatchObject({
      state: 'accepted',
      valid_rows: 3,
      invalid_rows: 0,
      valid_cents: file.valid_cents,
    });
  });

  it('lists what was withheld, with the reason', async () => {
    const content = lines([...upTo(10).map((n) => cardRow(n)), cardRow(11, { amount: 'ten', expiry: '13/35' })]);
    const file = await fileWithOutcomes(world, 'card', content, () => 'OK: 678594:');
    const { rejects } = await outputsOf(file);
    expect(rejects).toHaveLength(2);
    expect(rejects?.[1]).toMatch(/C-11.*AMOUNT_FORMAT: .*EXPIRY_FORMAT: /);
  });
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function rowsOf(text: string): Promise<RawLines> {
  for await (const rows of readRawLines(bytesOf(text), { charset: 'utf-8', headerLine: null })) return rows;
  throw new Error('there are no rows');
}

/** Returns the rows of a text as shown, one by one. */
async function shownRows(text: string, options?: { clear: boolean }): Promise<string[]> {
  const rows = await rowsOf(text);
  const put = shownRowPutter('card', options);
  const into = newLineBuffer();
  return rows.lines.map((_, place) => {
    const from = into.length;
    put(into, rows, place, true);
    return into.bytes.toString('utf8', from, into.length);
  });
}

const MARK = '\ufeff';
const MASKED = '************2220';

describe('shownRowPutter', () => {
  it.each([
    ['a plain row', cardRow(1), cardRow(1)],
    ['a quoted cell', cardRow(1).replace('Ada', '"Ada, Lady"'), cardRow(1).replace('Ada', '"Ada, Lady"')],
    ['quotes that are not needed', cardRow(1).replace('Ada', '"Ada"'), cardRow(1)],
    ['quotes in a cell', cardRow(1).replace('Ada', '"Ada ""A"""'), cardRow(1).replace('Ada', '"Ada ""A"""')],
    ['other letters', cardRow(1).replace('Ada', 'Zoë 😀'), cardRow(1).replace('Ada', 'Zoë 😀')],
    ['a formula', cardRow(1).replace('Ada', '=1+1'), cardRow(1).replace('Ada', "'=1+1")],
    ['a formula in quotes', cardRow(1).replace('Ada', '"=1,1"'), cardRow(1).replace('Ada', '"\'=1,1"')],
  ])('shows %s with a comma behind each cell', async (_what, row, shown) => {
    expect(await shownRows(`${row}\r\n`)).toEqual([`${shown.replace(CARD, MASKED)},`]);
    expect(await shownRows(`${row}\r\n`, { clear: true })).toEqual([`${shown},`]);
  });

  it('shows one row after the other, and nothing of a line that could not be read', async () => {
    const rows = [
      cardRow(1),
      cardRow(2).replace('Ada', 'A"da'),
      cardRow(3).replace('Ada', '"A"'),
      cardRow(4, { amount: 'x' }),
    ];
    expect((await shownRows(`${rows.join('\n')}\n`)).map((row) => row.split(',')[1])).toEqual([
      'C-1',
      undefined,
      'C-3',
      'C-4',
    ]);
  });
});

const USUAL: OutputForm = AccountConfig.shape.outputs.parse({});

describe('writeRows, with settings for outputs', () => {
  const EUROPEAN: OutputForm = { ...USUAL, delimiter: 'semicolon', decimal: 'comma', columns: ['Amount Charged'] };
  const content = lines([cardRow(1).replace('Ada', 'Zoë;X'), cardRow(2), cardRow(3).replace('Ada', '=1')]);
  const messageOf = (row: number) => (row === 2 ? 'REJECT: 15' : 'OK: 678594:');

  it('separates the cells of the result, and keeps the rejects fit to be dropped again', async () => {
    const file = await fileWithOutcomes(world, 'card', content, messageOf);
    const { result, rejects } = await outputsOf({ ...file, output_form: { ...file.output_form, ...EUROPEAN } });
    expect(result?.[0]?.endsWith(';Expiry;Outcome;Amount Charged')).toBe(true);
    expect(result?.[1]).toContain('1;06/15/2026;C-1;"Zoë;X";');
    expect(result?.map((line) => line.split(';').slice(-2))).toEqual([
      ['Outcome', 'Amount Charged'],
      ['APPROVED', '25,00'],
      ['DECLINED', ''],
      ['APPROVED', '25,00'],
    ]);
    expect(result?.[3]).toContain(";'=1;");
    expect(rejects?.[0]).toMatch(/^Date,Invoice #,/);
    expect(rejects?.[1]).toContain(',C-2,Ada,');
  });

  it.each([
    ['auto', 'Zoë', [MARK, undefined]],
    ['auto', 'Zoe', [undefined, undefined]],
    ['always', 'Zoe', [MARK, MARK]],
    ['never', 'Zoë', [undefined, undefined]],
  ] as const)(
    'with the mark %s, before letters such as %s, marks results and rejects: %j',
    async (bom, name, marks) => {
      const rows = [cardRow(1).replace('Ada', name), cardRow(2)];
      const file = await fileWithOutcomes(world, 'card', lines(rows), messageOf);
      const { result, rejects } = await outputsOf({ ...file, output_form: { ...file.output_form, bom } });
      expect([result, rejects].map((text) => (text![0]!.startsWith(MARK) ? MARK : undefined))).toEqual(marks);
      expect(result?.[1]).toContain(name);
    },
  );

  it('lets rejects with a mark be dropped again, and refuses a result with semicolons', async () => {
    const rows = [cardRow(1).replace('Ada', 'Zoë'), cardRow(2)];
    const file = await fileWithOutcomes(world, 'card', lines(rows), () => 'REJECT: 22');
    const { result, retry } = await outputsOf(
      { ...file, output_form: { ...file.output_form, ...EUROPEAN } },
      withClearNumbers(world.app),
    );
    expect(retry?.[0]?.startsWith(MARK)).toBe(true);
    const folder = `drop/${world.freshAccount()}/card`;
    const again = await world.takeIn(folder, lines(retry!, '\r\n'), 'again.csv');
    expect(await world.file(again)).toMatchObject({ state: 'accepted', valid_rows: 2, valid_cents: file.valid_cents });
    const wrong = await world.takeIn(folder, lines(result!, '\r\n'), 'result.csv');
    expect(await world.file(wrong)).toMatchObject({ state: 'rejected', reason_code: 'WRONG_SEPARATOR' });
  });
});
