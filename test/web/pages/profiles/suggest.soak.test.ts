import { describe, expect, it } from 'vitest';
import { parseProfile } from '../../../../src/csv/profile/profile-text.ts';
import { findConfirmed, readVersions } from '../../../../src/ledger/profile/read-profiles.ts';
import { readOpenProposals } from '../../../../src/ledger/proposal/proposals.ts';
import { encodeLines, EXAMPLE_FILES, exampleProfile } from '../../../csv/profile/support/example-files.ts';
import { freshSeed, seededRandom } from '../../../support/random.ts';
import { makeWorkbook, type MadeWorkbook, STYLE, styled } from '../../../csv/workbook/support/make-workbook.ts';
import { openedForTests } from '../../../support/opened-for-tests.ts';
import { openAction, readAction } from '../../support/action-page.ts';
import {
  answerAll,
  beginProfile,
  DUES_ANSWERS,
  DUES_SAMPLE,
  fieldsIn,
  sendAnswers,
} from '../../support/answer-questions.ts';
import { openDashboardWorld, type TestBrowser } from '../../support/dashboard-world.ts';
import { wordsOf } from '../../support/read-page.ts';

const FOLDERS = [
  { path: 'drop/dues', account: 'main', operation: 'ach-charge', profile: 'dues' },
  { path: 'drop/plain', account: 'main', operation: 'ach-charge' },
  { path: 'drop/books', account: 'main', operation: 'ach-charge', profile: 'books' },
  { path: 'drop/cards', account: 'main', operation: 'card', profile: 'cards' },
];
const world = openedForTests(() =>
  openDashboardWorld({ account: { secondPerson: { profiles: false } }, settings: { folders: FOLDERS } }),
);
const FIGURES = { rows: '6', total: '7,410.00', folder: 'drop/dues', reason: 'new export' };

/** The file of dues as a workbook, with a quarter more in each row. */
const DUES_BOOK: MadeWorkbook = {
  rows: [
    ['Acme Swim Club Inc'],
    ['Num', 'Member', 'Date', 'Amount', 'Balance', 'Memo'],
    ...[1, 2, 3, 4, 5, 6].map((row) => [
      1_000 + row,
      `A1000${row}`,
      styled(46_185 + row, STYLE.date),
      1_200.25 + 10 * row,
      10 * row,
      'June dues',
    ]),
    ['TOTAL', '', '', 7_411.5],
  ],
};

/** Fills in the last page. */
async function finish(browser: TestBrowser, form: Record<string, string>) {
  const page = await openAction(browser, '/new-profile/confirm');
  return readAction(await browser.post('/new-profile/confirm', { ...page.hidden, ...form }));
}

describe('a profile from a file', () => {
  it('goes from the questions over the preview to a confirmed version, only with the figures typed', async () => {
    const admin = await world.as('admin');
    const begun = await beginProfile(admin, DUES_SAMPLE);
    expect([begun.status, begun.location]).toEqual([303, '/new-profile/questions']);
    const seen = await answerAll(admin, DUES_ANSWERS);
    expect(new Set(seen)).toEqual(new Set(['Columns', 'Rows', 'Formats', '/new-profile/preview']));
    const shown = await openAction(admin, '/new-profile/preview');
    expect(shown.words).toContain('Amount 1,210.00 Amount: 1210.00');
    expect(shown.words).toContain('Left out total row TOTAL | 7,410.00');
    expect(shown.words).toContain('Ready to send');
    const asked = await openAction(admin, '/new-profile/confirm');
    expect(asked.words).not.toMatch(/7,?410|\b6 /);
    const wrong = await finish(admin, { ...FIGURES, total: '7,401.00' });
    expect([wrong.status, wrong.words]).toEqual([409, expect.stringContaining('two digits may be swapped')]);
    const other = await finish(admin, { ...FIGURES, folder: 'drop/cards' });
    expect([other.status, other.words]).toEqual([400, expect.stringContaining('not the name of its folder')]);
    expect((await finish(admin, { ...FIGURES, reason: ' ' })).status).toBe(400);
    expect(await readVersions(world.app.ledger, 'dues')).toEqual([]);
    const done = await finish(admin, FIGURES);
    expect([done.status, done.words]).toEqual([
      200,
      expect.stringContaining('Confirmed: dues version 1 reads the files of drop/dues.'),
    ]);
    const version = await findConfirmed(world.app.ledger.pool, 'dues');
    expect(version).toMatchObject({
      made_by: 'operator:admin',
      confirmed_by: 'operator:admin',
      sample_rows: 6,
      sample_cents: 741_000,
      reason: 'new export',
    });
    expect(parseProfile(version!.text)).toHaveProperty('profile.head.above', ['Acme Swim Club Inc']);
    expect((await admin.get('/new-profile/preview')).location).toBe('/new-profile?gone');
  });

  it('of an Excel workbook goes the same way', async () => {
    const admin = await world.as('admin');
    await beginProfile(admin, new Uint8Array(makeWorkbook(DUES_BOOK)), 'drop/books', 'june.xlsx');
    const seen = await answerAll(admin, DUES_ANSWERS);
    expect(seen.at(-1)).toBe('/new-profile/preview');
    const shown = await openAction(admin, '/new-profile/preview');
    expect(shown.words).toContain('Amount 1210.25 Amount: 1210.25');
    expect(shown.words).toContain('Ready to send');
    const done = await finish(admin, { ...FIGURES, total: '7,411.50', folder: 'drop/books' });
    expect(done.words).toContain('Confirmed: books version 1 reads the files of drop/books.');
    const { text } = (await findConfirmed(world.app.ledger.pool, 'books'))!;
    expect(parseProfile(text)).toMatchObject({
      profile: { read: { kind: 'workbook', sheet: 'Dues' }, columns: { amount: { from: 'Amount', type: 'number' } } },
    });
  });

  it('shows as a reason what the profiles that read by now do with such titles', async () => {
    const admin = await world.as('admin');
    await beginProfile(admin, DUES_SAMPLE);
    await answerAll(admin, DUES_ANSWERS);
    const columns = await openAction(admin, '/new-profile/questions?step=columns');
    expect(columns.words).toContain('as in dues, version 1');
  });

  it('becomes a draft of an operator, who may not confirm', async () => {
    const operator = await world.as('operator');
    await beginProfile(operator, DUES_SAMPLE.replaceAll('Memo', 'Remark'));
    await answerAll(operator, { ...DUES_ANSWERS, Comment: 'Remark' });
    expect((await openAction(operator, '/new-profile/confirm')).text).not.toContain('name="total"');
    const done = await finish(operator, FIGURES);
    expect(done.words).toContain('Imported: dues version 2, a draft.');
    expect(done.text).not.toContain('/do/confirm-profile');
    expect(await findConfirmed(world.app.ledger.pool, 'dues')).toMatchObject({ version: 1 });
  });

  it('of a folder that names none becomes a draft by the name that is typed', async () => {
    const admin = await world.as('admin');
    await beginProfile(admin, DUES_SAMPLE, 'drop/plain');
    await answerAll(admin, DUES_ANSWERS);
    expect((await finish(admin, { name: 'No name', reason: 'new export' })).status).toBe(400);
    const done = await finish(admin, { name: 'plain', reason: 'new export' });
    expect(done.words).toContain('Folder drop/plain names no profile yet.');
    expect((await readVersions(world.app.ledger, 'plain')).map(({ state }) => state)).toEqual(['draft']);
  });

  it('is not made by those who may not, nor by a program or a form of another page', async () => {
    for (const person of ['viewer', 'approver'] as const) {
      const browser = await world.as(person);
      expect((await browser.get('/new-profile')).status).toBe(403);
      expect((await beginProfile(browser, DUES_SAMPLE)).status).toBe(403);
    }
    const operator = await world.as('operator');
    expect((await operator.post('/new-profile/questions', {}, 'another token')).status).toBe(403);
  });
});

describe('the file of a new profile', () => {
  it('belongs to its session, and is forgotten when the person wants it', async () => {
    const [operator, same, other] = [await world.as('operator'), await world.as('operator'), await world.as('other')];
    await beginProfile(operator, DUES_SAMPLE);
    expect((await operator.get('/new-profile')).text).toContain('Go on with june.csv');
    for (const browser of [same, other]) {
      expect((await browser.get('/new-profile/questions')).location).toBe('/new-profile?gone');
      expect((await browser.get('/new-profile?gone')).text).toContain('not in memory any more');
    }
    expect((await operator.post('/new-profile/forget')).status).toBe(303);
    expect((await operator.get('/new-profile/questions')).location).toBe('/new-profile?gone');
  });

  it.each([
    ['Date,Num,Card Number,CVV,Amount\n06/15/2026,1,4222222222222220,123,1.00\n', 'a security code'],
    ['a,b\n1,2\n', 'no line has three cells'],
    ['', 'it is empty'],
    [new Uint8Array(makeWorkbook({ ...DUES_BOOK, parts: { 'xl/vbaProject.bin': '' } })), 'it holds macros'],
    ['PK\x03\x04 cut off', 'No profile can be made: it is damaged'],
  ])('is refused and not kept: %#', async (sample, why) => {
    const other = await world.as('other');
    const { status, text } = await beginProfile(other, sample, 'drop/cards');
    expect([status, wordsOf(text)]).toEqual([400, expect.stringContaining(why)]);
    expect((await other.get('/new-profile/questions')).location).toBe('/new-profile?gone');
  });

  it('needs a folder, and no more than 2 MB', async () => {
    const operator = await world.as('operator');
    expect((await beginProfile(operator, DUES_SAMPLE, 'drop/nowhere')).status).toBe(400);
    expect((await beginProfile(operator, 'x'.repeat(2_200_000))).status).toBe(400);
    expect((await beginProfile(operator, 'x'.repeat(3_000_000))).status).toBe(413);
  });
});

describe('the questions', () => {
  it('are not answered by an older page, nor by a form that leaves them out', async () => {
    const operator = await world.as('operator');
    await beginProfile(operator, DUES_SAMPLE);
    const first = await operator.get('/new-profile/questions');
    await sendAnswers(operator, first.text, []);
    expect(wordsOf((await operator.get('/new-profile/questions')).text)).toContain('1 question open');
    const [layout] = fieldsIn(first.text);
    await sendAnswers(operator, first.text, [[layout!.name, '1']]);
    const late = await sendAnswers(operator, first.text, [[layout!.name, '0']]);
    expect([late.status, wordsOf(late.text)]).toEqual([409, expect.stringContaining('The questions have changed')]);
  });

  it('show again what was answered, so that it can be answered otherwise', async () => {
    const operator = await world.as('operator');
    await beginProfile(operator, DUES_SAMPLE);
    await answerAll(operator, DUES_ANSWERS);
    const columns = await operator.get('/new-profile/questions?step=columns');
    const chosen = fieldsIn(columns.text).flatMap(({ about, options }) =>
      options.filter(({ isChosen }) => isChosen).map(({ label }) => `${about}: ${label}`),
    );
    expect(chosen).toContain('Amount: Amount, such as 1,210.00');
    await answerAll(operator, {});
    const values = fieldsIn(columns.text).map(({ about, name, options }): [string, string] => {
      const wanted = about === 'Amount' ? options.find(({ label }) => label.startsWith('Balance')) : undefined;
      return [name, (wanted ?? options.find(({ isChosen }) => isChosen))!.value];
    });
    await sendAnswers(operator, columns.text, values);
    const open = await operator.get('/new-profile/questions');
    expect(wordsOf(open.text)).toMatch(/\d open/);
  });
});

const CARDS = new Set(['4222222222222220', '5555555555554444']);
const CARD_SAMPLE = encodeLines(
  EXAMPLE_FILES['quickbooks-dues'].map(([line]) => line),
  exampleProfile('quickbooks-dues'),
);

/** Chooses anything for each question of a page, and often the column of card numbers. */
function anything(html: string, random: () => number): [string, string][] {
  return fieldsIn(html).flatMap(({ name, kind, options }): [string, string][] => {
    if (kind === 'checkbox') return options.filter(() => random() < 0.8).map(({ value }) => [name, value]);
    const cards = options.filter(({ label }) => label.startsWith('Card Number'));
    const offered = cards.length > 0 && random() < 0.4 ? cards : options;
    const option = offered[Math.floor(random() * offered.length)];
    return option ? [[name, option.value]] : [];
  });
}

describe('no page of a new profile', () => {
  it.each([7, freshSeed()])('shows the number of a card, whatever is answered (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const admin = await world.as('admin');
    let made = 0;
    for (let round = 0; round < 3; round += 1) {
      await beginProfile(admin, new Uint8Array(CARD_SAMPLE), 'drop/cards');
      for (let turn = 0; turn < 9; turn += 1) {
        const page = await admin.get(turn % 3 === 2 ? '/new-profile/preview' : '/new-profile/questions');
        const plain = page.text.replace(/[ -]|&nbsp;/g, '');
        expect({ round, turn, leaked: [...CARDS].filter((card) => plain.includes(card)) }).toMatchObject({
          leaked: [],
        });
        expect(page.status).toBeLessThan(400);
        if (page.location === undefined) await sendAnswers(admin, page.text, anything(page.text, random));
        made += fieldsIn(page.text).length;
      }
    }
    expect(made).toBeGreaterThan(50);
  });
});

describe('a profile that needs two persons', () => {
  const careful = openedForTests(() =>
    openDashboardWorld({ account: { secondPerson: { profiles: true } }, settings: { folders: FOLDERS } }),
  );

  it('is only proposed by its author', async () => {
    const admin = await careful.as('admin');
    await beginProfile(admin, DUES_SAMPLE);
    await answerAll(admin, DUES_ANSWERS);
    const done = await finish(admin, FIGURES);
    expect(done.words).toContain('Proposed: confirm dues version 1. Another person must confirm it.');
    expect(await readOpenProposals(careful.app.ledger)).toHaveLength(1);
    expect(await findConfirmed(careful.app.ledger.pool, 'dues')).toBeUndefined();
    const listed = await admin.get('/approvals');
    expect(listed.text).toContain('href="/profiles/dues"');
  });
});
