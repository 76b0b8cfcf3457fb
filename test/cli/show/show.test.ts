import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { achRow, CARD, cardRow, codeRow, lines } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { describeStory } from '../../../src/cli/show/show.ts';
import type { FileStory } from '../../../src/explain/read-story.ts';

const world = openedForTests(() =>
  openCliWorld({
    account: { timeZone: 'America/Toronto' },
    folder: { badRows: { maxPercent: 60 }, sameTotals: 'off' },
  }),
);
let fileId = '';
beforeAll(async () => {
  await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2, { invoice: 'C-1', amount: 'ten' })]));
  await world.drop('card', `of ${CARD}.csv`, lines([cardRow(12)]));
  await world.drop('card', 'twice.csv', lines([cardRow(13)]));
  await world.drop('ach-charge', 'twice.csv', lines([achRow(14)]));
  await world.drop('card', 'held.csv.ctl', 'rows=99\n');
  await world.drop('card', 'held.csv', lines([7, 8].map((n) => codeRow(n, { invoice: 'C-1', amount: '26.00' }))));
  await world.drop('card', 'broken.csv', lines([cardRow(3, { invoice: 'C-3' }), 'one,cell,less']));
  await world.drop('card', 'june.csv', lines([cardRow(21), cardRow(22)]));
  await world.finish();
  fileId = (JSON.parse(await world.says('show', 'monday.csv', '--json')) as { file: { file_id: string } }).file.file_id;
});

describe('show', () => {
  it('finds a file by name, id and the first letters of the id', async () => {
    const stories = [];
    for (const words of ['monday.csv', fileId, fileId.slice(0, 8)]) stories.push(await world.paydrop('show', words));
    for (const { status, out, err } of stories) expect({ status, out, err }).toEqual({ ...stories[0], err: '' });
    expect(stories[0]).toMatchObject({ status: 0, out: expect.stringMatching(`^monday\\.csv\nfile ${fileId}, `) });
  });

  it('finds a file by a name that was masked, and never prints the number', async () => {
    const out = await world.says('show', `of ${CARD}.csv`);
    expect(out).toMatch(/^of \*{12}2220\.csv\n/);
  });

  it.each([
    ['a name that nobody used', 'tuesday.csv', /^Cannot find a file "tuesday\.csv": /],
    ['a name that two files have', 'twice.csv', /^Cannot find one file "twice\.csv": several .*Give the file id/],
    ['letters that are too few', 'abc', /^Cannot find a file "abc"/],
    ['a number', CARD, /^Cannot find a file "\*{12}2220"/],
  ])('%s: status 1 and a sentence', async (_what, words, sentence) => {
    const err = await world.refusal('show', words);
    expect(err).toMatch(sentence);
    expect(err).not.toContain(CARD);
  });

  it('is one JSON value without key and token', async () => {
    const { out } = await world.paydrop('show', fileId, '--json');
    const story = JSON.parse(out) as Record<string, unknown>;
    expect(Object.keys(story)).toEqual([
      'file',
      'batches',
      'outcomes',
      'open',
      'outputs',
      'audit',
      'held',
      'rowArchive',
    ]);
    expect(out).not.toMatch(/wrapped_key|"token"/);
  });
});

const AT = new Date('2026-06-15T13:30:00Z');
const NOTHING = { rows: 0, cents: 0 };

function story(part: { [Key in keyof FileStory]?: unknown } = {}): FileStory {
  const file = {
    file_id: 'g7fhpaqsf429w7ye',
    name: 'monday.csv',
    account: 'main',
    operation: 'card',
    state: 'rejected',
    shown: 'rejected',
    blockedBy: [],
    state_at: AT,
    reason_code: 'EMPTY',
    reason: 'the file has no bytes',
  };
  return { file, batches: [], outcomes: {}, open: NOTHING, outputs: [], audit: [], held: [], ...part } as FileStory;
}

describe('describeStory', () => {
  it('says of a refused file why and what to do, and shows no empty table', () => {
    expect(describeStory(story(), 'America/New_York').split('\n')).toEqual([
      'monday.csv',
      'file g7fhpaqsf429w7ye, account main, card, rejected since 2026-06-15 09:30:00 -04:00',
      'the file has no bytes. Export the file again; this one is empty.',
    ]);
  });

  it('says when a file is sent next that waits for the window of its account', () => {
    const waiting = story({ file: { ...story().file, state: 'accepted', shown: 'queued', reason: null } });
    expect(describeStory(waiting, 'America/New_York', { nextSendAt: new Date('2026-06-16T00:00:00Z') })).toContain(
      '\n\nNext send at 2026-06-15 20:00:00 -04:00: the window of account main opens then.',
    );
    expect(describeStory(waiting, 'America/New_York')).not.toContain('Next send');
  });

  it('says every reason of a held file, when there is more than the one above', () => {
    const reason = (code: 'SAME_ROWS' | 'APPROVAL_DUE') => ({ code, count: 1, line: 0, detail: null });
    const both = describeStory(story({ held: [reason('SAME_ROWS'), reason('APPROVAL_DUE')] }), 'UTC');
    expect(both).toMatch(/\n\nNeeds approval because\n {2}.+\n {2}refunds of this account need approval/);
    expect(describeStory(story({ held: [reason('SAME_ROWS')] }), 'UTC')).not.toContain('Needs approval because');
  });

  it('has tables of outcomes, batches, outputs and moves, times in the zone of the account', () => {
    const link = { at: AT, actor: 'worker:watch', batch_no: null, move: 'claim', to_state: 'claimed', reason: 'taken' };
    const text = describeStory(
      story({
        outcomes: { invalid: { rows: 1, cents: 0 }, approved: { rows: 20, cents: 141_700 } },
        open: { rows: 2, cents: 500 },
        batches: [
          {
            batch_no: 1,
            state: 'reconciled',
            shown: 'reconciled',
            batch_id: '1000001',
            attempt: 1,
            rows: 20,
            cents: 141_700,
            reason: null,
          },
        ],
        outputs: [{ kind: 'result', name: 'monday__g7fhpaqs.result.csv', rows: 21 }],
        audit: [link, { ...link, move: 'output', to_state: null, batch_no: 1 }],
      }),
      'Europe/London',
    );
    for (const line of [
      'APPROVED    20  1417.00  charged or refunded',
      'INVALID      1     0.00  withheld because it has faults',
      'none yet     2     5.00',
      '    1  reconciled  1000001         1    20  1417.00',
      'result  monday__g7fhpaqs.result.csv    21',
      '2026-06-15 14:30:00 +01:00  worker:watch         claim -> claimed  taken',
      '2026-06-15 14:30:00 +01:00  worker:watch  1      output            taken',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text.indexOf('APPROVED')).toBeLessThan(text.indexOf('INVALID'));
  });
});

describe('find', () => {
  it('lists every row that ever came with the invoice, and where it stands', async () => {
    const out = await world.says('find', '--invoice', 'C-1');
    expect(out).toMatch(/monday\.csv +1 +25\.00 +…2220 +APPROVED/);
    expect(out).toMatch(/monday\.csv +2 +unreadable +INVALID +the amount is not a plain decimal/);
    expect(out.match(/held\.csv +\d +26\.00 +A1000000[78] +/g)).toHaveLength(2);
  });

  it('is not alone in saying that a row was withheld: status, why and the summary say so, too', async () => {
    const [status, why] = [await world.paydrop('status'), await world.paydrop('why', 'monday.csv')];
    expect(status.out).toMatch(
      /Withheld and not paid, last 7 days\n.*\n.*\nmain .*monday\.csv .* 1 +1 amount unreadable\n/,
    );
    const said = '1 row was withheld and not paid: 1 amount unreadable';
    expect(why.out).toContain(`${said}. Correct its .rejects.csv and drop it`);
    expect(why.out).not.toContain('There is nothing to do');
    const { rows } = await world.app.ledger.pool.query(
      `SELECT output.name FROM output JOIN file USING (file_id) WHERE file.name = 'monday.csv' AND kind = 'summary-txt'`,
    );
    const summary = await readFile(join(world.app.settings.paths.out, rows[0].name), 'utf8');
    expect(summary).toContain(`Open items\n${said}; correct the rejects file and drop it\n`);
  });

  it('says of a row in a refused file that its file was refused', async () => {
    expect((await world.paydrop('find', '--invoice', 'C-3')).out).toMatch(
      /broken\.csv +1 +25\.00 +…2220 +file rejected/,
    );
  });

  it('says when there is none', async () => {
    expect(await world.paydrop('find', '--invoice', 'C-99')).toEqual({
      status: 0,
      out: 'No file had this invoice.\n',
      err: '',
    });
  });

  it('finds payments, files and batches by words, as the search page does', async () => {
    const out = await world.says('find', 'c-1', '25');
    expect(out).toMatch('Nothing fits');
    expect(await world.says('find', 'c-1', '25.00')).toMatch(
      /monday\.csv +1 +C-1 +25\.00 +…2220 +Approved +charged or refunded\n$/,
    );
    expect(await world.says('find', 'held')).toMatch(/held\.csv +main +needs approval\n$/);
    expect(await world.says('find', 'monday.csv/1')).toMatch(/\/1 +monday\.csv +main +1 +25\.00 +reconciled\n$/);
    expect(await world.refusal('find', CARD)).not.toContain(CARD);
    expect(await world.refusal('find')).toContain('the words to find are missing');
    expect(await world.refusal('find', 'c-1', '--invoice', 'C-1')).toContain('there is an invoice beside them');
  });

  it('adds and removes indexes for searches', async () => {
    const isBuilt = async () =>
      (JSON.parse((await world.paydrop('search-index', 'list', '--json')).out) as { isBuilt: boolean }[]).map(
        (index) => index.isBuilt,
      );
    expect(await isBuilt()).toEqual([false, false, false]);
    expect(await world.says('search-index', 'build', 'endings')).toMatch(/^endings +the end of an invoice +yes$/m);
    expect(await isBuilt()).toEqual([false, true, false]);
    expect(await world.says('search-index', 'drop', 'endings')).toMatch(/^endings +the end of an invoice +no$/m);
    expect(await world.refusal('search-index', 'build', 'file')).toContain('Choose one: amounts, endings, customers.');
  });

  it('is one JSON value on request, also when there is none', async () => {
    const found = JSON.parse((await world.paydrop('find', '--invoice', 'C-1', '--json')).out) as unknown[];
    expect(found).toHaveLength(4);
    expect(found).toContainEqual(
      expect.objectContaining({ name: 'monday.csv', line: 1, amountCents: 2_500, outcome: 'approved' }),
    );
    expect(JSON.parse((await world.paydrop('find', '--invoice', 'C-99', '--json')).out)).toEqual([]);
  });
});

describe('why', () => {
  it('tells a file in plain sentences, with times in the zone of its account', async () => {
    const out = await world.says('why', 'june.csv');
    expect(out).toMatch(/^Why: june\.csv \(file .{16}\)\n/);
    expect(out).toMatch(/\d\d:\d\d:\d\d -0[45]:00 {2}june\.csv was taken from drop\/card for account main: \d+ bytes/);
    expect(out).toMatch(/Every check passed: 2 rows with a total of 50\.00/);
    expect(out).toContain('Outcomes: 2 rows approved (charged or refunded), 50.00.');
    expect(out).toMatch(/What to do next\n {2}There is nothing to do\.\n$/);
  });

  it('says of a held file what to do', async () => {
    const { out } = await world.paydrop('why', 'held.csv');
    expect(out).toContain('It was held: the control file does not match the payment file: it says 99 rows');
    expect(out).toMatch(/ Then "paydrop approve (.{16}) --reason …" or "paydrop decline \1 --reason …"\.\n/);
  });

  it('tells a batch with its attempt and what the service said, and an invoice by its row', async () => {
    const batch = (await world.paydrop('why', 'june.csv/1')).out;
    expect(batch).toMatch(
      /Attempt 1 begins: \d+ bytes to 127\.0\.0\.1:\d+\. From this moment the service may have it\./,
    );
    expect(batch).toMatch(/The service gave it batch id \d+/);
    const invoice = (await world.paydrop('why', 'C-22')).out;
    expect(invoice).toMatch(/^Why: invoice C-22, line 2 of batch 1 of june\.csv/);
    expect(invoice).toContain('The row: 25.00, …2220, approved (charged or refunded): OK');
  });

  it('tells a payment by its line', async () => {
    const { out } = await world.paydrop('why', 'june.csv:2');
    expect(out).toMatch(/^Why: line 2 of june\.csv \(file .{16}\)\n/);
    expect(out).toMatch(/Received: june\.csv, line 2\.\n.*Checked: queued in batch 1\.\n.*Sent: attempt 1\.\n/);
    expect(out).toContain('Approved: charged or refunded.');
    expect(out).toContain('For the customer: Your payment of 25.00 USD for invoice C-22 was made on ');
    expect(await world.refusal('why', 'june.csv:99')).toContain('Cannot find line 99 of file');
  });

  it('is a list of stories as JSON', async () => {
    expect(JSON.parse((await world.paydrop('why', 'C-21', '--json')).out)).toEqual([
      {
        about: expect.stringContaining('invoice C-21'),
        merchant: expect.stringMatching(/^\S.*, USD$/),
        timeZone: 'America/Toronto',
        shown: 'reconciled',
        blockedBy: [],
        story: expect.arrayContaining([{ at: expect.any(String), text: expect.any(String) }]),
        now: expect.any(Array),
        next: ['There is nothing to do.'],
        steps: [['There is nothing to do.']],
      },
    ]);
  });

  it('says when nothing with that name exists', async () => {
    expect(await world.refusal('why', 'nobody')).toContain('Cannot find a file "nobody"');
  });
});
