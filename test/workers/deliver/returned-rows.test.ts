import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFileRow, readOutputs } from '../../../src/ledger/file/read-file.ts';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { dropAgain, planAgain, planResubmission, resubmitRows } from '../../../src/actions/resubmit.ts';
import { readResubmissions } from '../../../src/ledger/row/resubmissions.ts';
import { putConfirmed } from '../../ledger/support/put-version.ts';
import { titlesOf } from '../../../src/reconcile/outputs/result-row.ts';
import { type MadeCell, makeWorkbook, STYLE, styled } from '../../csv/workbook/support/make-workbook.ts';
import { CARD } from '../../support/payment-rows.ts';
import { carryOut } from '../support/resolve-context.ts';
import { stepWorld } from '../support/step-world.ts';
import {
  linesOf,
  openProfileFolder,
  withClearNumbers,
  SENDER_PROFILE,
  SPACED_CARD,
  SENDER_TITLES,
  senderRow,
} from '../support/story.ts';
import { deliverFile } from '../../support/work-alone.ts';

const world = stepWorld({ accounts: 11, folder: { badRows: { maxPercent: 50 } } });

const BECAUSE = { actor: 'operator:ada', reason: 'compared' };

/** Takes a file to its results. */
async function delivered(
  messageOf: (row: number) => string,
  rows: readonly string[],
  { profile = SENDER_PROFILE, charset = 'utf8' }: { profile?: string; charset?: BufferEncoding } = {},
) {
  const folder = await openProfileFolder(world, profile);
  const { take, id } = folder;
  const app = withClearNumbers(folder.app);
  const fileId = await take(
    Buffer.from([SENDER_TITLES, ...rows].map((row) => `${row}\n`).join(''), charset),
    'june.csv',
  );
  await approveFile(app.ledger, fileId, BECAUSE);
  await deliverFile(app, { fileId });
  await carryOut(app, fileId, messageOf);
  await deliverFile(app, { fileId });
  const outputs = await readOutputs(app.ledger, fileId);
  const read = async (kind: string) => {
    const found = outputs.find((output) => output.kind === kind);
    return found ? readFile(join(app.settings.paths.out, found.name)) : Buffer.alloc(0);
  };
  const lines = async (kind: string) => {
    const found = outputs.find((output) => output.kind === kind);
    return found && linesOf(join(app.settings.paths.out, found.name));
  };
  return { ...folder, app, lines, read, path: app.folder(id)!.path, file: await readFileRow(app.ledger, fileId) };
}

describe('the results of a file that a profile reads', () => {
  it('show what was made of each row that was sent, in the layout, numbers masked', async () => {
    const odd = senderRow('R-2', '6,00').replace('12/2035', '12/2020');
    const { lines } = await delivered(() => 'OK: 1:', [odd, senderRow('R-1', '1.234,50')]);
    expect(await lines('sent')).toEqual([
      `Line,${titlesOf('card').join(',')}`,
      '3,06/15/2026,R-1,,"Byron, Ada",,,,,1234.50,VISA,************2220,12/35',
    ]);
  });

  it('name the version that read it, and account for each line', async () => {
    const { lines, read, name, version } = await delivered(() => 'OK: 1:', [senderRow('R-1', '5,00'), ',,,,,,,']);
    const hash = version.sha256.slice(0, 8);
    const said = '3 lines = 1 of payments + 1 of titles + 1 blank';
    const facts = [`Profile,${name}`, `Profile Version,1 (${hash})`, 'Profile Confirmed By,grace', `Lines,${said}`];
    expect(await lines('ack')).toEqual(expect.arrayContaining(facts));
    const summary = String(await read('summary-txt'));
    expect(summary).toContain(`Read with version 1 of profile ${name} (${hash}), confirmed by grace\n`);
    expect(summary).toContain(`ok  H2  ${said}\n`);
    expect(JSON.parse(String(await read('summary-json'))).file.readBy).toEqual({
      profile: name,
      version: 1,
      hash,
      confirmedBy: 'grace',
    });
  });
});

const DECLINED = (row: number) => (row === 1 ? 'REJECT: 22' : 'OK: 1:');
const ROWS = [senderRow('=R-1', '1.005,00').replace('Byron', 'Zoë'), senderRow('R-2', '6,00')];
const LATIN = { profile: SENDER_PROFILE.replace('utf-8', 'windows-1252'), charset: 'latin1' } as const;

describe('the retry file of a file that a profile reads', () => {
  it('has the character set of the sender and no mark, and its rows are payments again', async () => {
    const { read, take, app } = await delivered(DECLINED, ROWS, LATIN);
    const retry = await read('retry');
    expect(retry.toString('latin1')).toMatch(/^Day,Outcome,.*\r\n15\.06\.2026,'=R-1,"Zoë, Ada",/);
    const again = await readFileRow(app.ledger, await take(retry, 'again.csv'));
    expect(again).toMatchObject({ state: 'accepted', valid_rows: 1, valid_cents: 100_500 });
  });

  it.each([
    ['reads it otherwise', "decimal: ',', group: '.'", "decimal: '.', group: ','", 'decimal'],
    ['reads it alike', 'MM/YYYY }', 'MM/YYYY }\nnote: new', undefined],
  ])('is held if another version was confirmed meanwhile and %s', async (_, from, to, change) => {
    const { read, take, app, name } = await delivered(DECLINED, ROWS);
    await putConfirmed(app.ledger, name, SENDER_PROFILE.replace(from, to));
    const again = await take(await read('retry'), 'again.csv');
    const faults = await world.query<{ code: string; detail: string }>(
      'SELECT code, detail FROM row_fault JOIN file USING (file_no) WHERE file_id = $1',
      [again],
    );
    const said = faults.filter(({ code }) => code === 'PROFILE_CHANGED').map(({ detail }) => detail);
    const wanted = 'written for another version of the profile: version 1: 1 payment, 1005.00; version 2: 1 payment, ';
    expect(said).toEqual(change ? [expect.stringContaining(wanted)] : []);
    expect(await readFileRow(app.ledger, again)).toMatchObject({ state: 'held' });
  });

  it('is held if nobody knows the version for which it was written', async () => {
    const { read, take, app } = await delivered(DECLINED, ROWS);
    const text = String(await read('retry')).replace(/paydrop [0-9a-f]{8}/, 'paydrop 00000000');
    const again = await readFileRow(app.ledger, await take(Buffer.from(text), 'again.csv'));
    expect(again).toMatchObject({ state: 'held', reason_code: 'PROFILE_CHANGED' });
    expect(again.reason).toContain('its rows were read by 00000000');
  });
});

const BOOK = SENDER_PROFILE.replace('{ charset: utf-8, separator: comma }', '{ kind: workbook, sheet: Dues }')
  .replace('format: DD.MM.YYYY', 'type: date')
  .replace(`number: { decimal: ',', group: '.' }`, 'type: number')
  .replace('format: MM/YYYY', 'type: date');

describe('the rejects file of a workbook', () => {
  it('has text with commas, leaves open what the text would not say, and is taken once it is filled in', async () => {
    const { app, take } = await openProfileFolder(world, BOOK);
    const clear = withClearNumbers(app);
    const cells = (invoice: string | number, padded: boolean): MadeCell[] => {
      const number = padded ? styled(17, STYLE.padded) : invoice;
      return [styled(46_188, STYLE.date), number, 'Ada', '', 25, 'Visa Card', CARD, styled(49_644, STYLE.ownDate)];
    };
    const rows = [SENDER_TITLES.split(','), cells('R-1', false), cells('', true)];
    const fileId = await take(makeWorkbook({ rows }), 'june.xlsx');
    await approveFile(app.ledger, fileId, BECAUSE);
    await carryOut(clear, fileId, () => 'OK: 1:');
    await deliverFile(clear, { fileId });
    const output = (await readOutputs(app.ledger, fileId)).find(({ kind }) => kind === 'rejects');
    const text = await readFile(join(app.settings.paths.out, output!.name), 'utf8');
    const [titles, row] = text.split('\r\n');
    expect(titles).toMatch(/^Day,Outcome,.*,Exp,Reason \(paydrop [0-9a-f]{8}\)$/);
    expect(row).toMatch(new RegExp(`^2026-06-15,,Ada,,25,Visa Card,${CARD},2035-12-01,`));
    const open = await readFileRow(app.ledger, await take(Buffer.from(text), 'open.csv'));
    expect(open).toMatchObject({ state: 'held', reason_code: 'CELL_EMPTY', valid_rows: 0 });
    const filled = await take(
      Buffer.from(text.replace('15,,Ada', '15,0017,Ada').replace(',25,', ',25.00,')),
      'filled.csv',
    );
    expect(await readFileRow(app.ledger, filled)).toMatchObject({
      state: 'accepted',
      valid_rows: 1,
      valid_cents: 2_500,
    });
  });
});

describe('rows that are resubmitted into a folder with a profile', () => {
  it('stand there as in the retry file, numbers whole, and are taken', async () => {
    const { read, take, app, path, file } = await delivered(DECLINED, ROWS, LATIN);
    const { name } = (await resubmitRows(app, file, await planResubmission(app, file), BECAUSE))!;
    const dropped = await readFile(join(path, name));
    const [titles, row] = dropped.toString('latin1').split('\r\n');
    expect(titles).toBe((await read('retry')).toString('latin1').split('\r\n')[0]);
    expect(row).toBe(`15.06.2026,'=R-1,"Zoë, Ada",was ${CARD},"1.005,00",Visa Card,${SPACED_CARD},12/2035,sent again`);
    const again = await readFileRow(app.ledger, await take(dropped, name));
    expect(again).toMatchObject({ state: 'accepted', valid_rows: 1, valid_cents: 100_500 });
  });

  it('come out with the same bytes when the file is lost', async () => {
    const { app, path, file } = await delivered(DECLINED, ROWS);
    const { name } = (await resubmitRows(app, file, await planResubmission(app, file), BECAUSE))!;
    const first = await readFile(join(path, name));
    await rm(join(path, name));
    const [earlier] = await readResubmissions(app.ledger, file.file_id);
    expect(await dropAgain(app, file, await planAgain(app, file, earlier!), BECAUSE)).toBe(true);
    expect(await readFile(join(path, name))).toEqual(first);
  });

  it('are refused where the folder is read by another profile, or by none', async () => {
    const { app, file } = await delivered(DECLINED, ROWS);
    for (const profile of ['other', undefined]) {
      const elsewhere = { ...app, folder: (id: string) => ({ ...app.folder(id)!, profile }) };
      await expect(planResubmission(elsewhere, file)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    }
  });
});
