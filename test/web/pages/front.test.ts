import { dashboardForTests } from '../support/dashboard-world.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forceSql } from '../../support/force-sql.ts';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { partOf, draw, wordsOf } from '../support/page-words.ts';
import { AccountDay, AttentionList, Today, Next, OnTheirWay, Withheld } from '../../../src/web/pages/front.tsx';
import { QUIET_DAY, quietFront } from '../support/quiet-front.ts';
import { shownOfState } from '../../../schemas/shown.ts';
import type { Need } from '../../../src/explain/needs-you.ts';
import type { Front } from '../../../src/web/pages/front/read-front.ts';
import type { OpenFile } from '../../../src/ledger/overview/overview.ts';

const world = dashboardForTests({
  account: { timeZone: 'America/Toronto' },
  settings: { batch: { maxRows: 2 }, schedules: { nightly: { does: 'take', at: '22:00' } } },
});

async function front(person: 'viewer' | 'operator' = 'viewer'): Promise<string> {
  const { status, text } = await (await world.as(person)).get('/');
  expect(status).toBe(200);
  return text;
}

/** Returns the text of a part that updates itself on the page. */
function part(html: string, name: string): string {
  expect(html).toContain(`data-part="${name}"`);
  return partOf(html, name);
}

const force = (sql: string) => forceSql(world.app, sql);

/** The tests build on each other. */
describe('frontPage', () => {
  it('says first what keeps paydrop from working', async () => {
    expect(part(await front(), 'needs')).toContain('paydrop is not working process: it is starting');
    world.app.health.noteSweep();
  });

  it('teaches the first step while nothing has come, and needs nobody', async () => {
    const html = await front('operator');
    expect(part(html, 'first')).toContain('No file has arrived yet');
    expect(html).toContain('<a href="/drop">upload a first file</a>');
    expect(await front('viewer')).toContain('<a href="/drop">check a file</a>');
    expect(part(html, 'needs')).toContain('Nothing needs attention');
    expect(part(html, 'moving')).toContain('Nothing is in progress');
    expect(part(html, 'month')).toContain('Once the service has returned results');
    expect(part(html, 'next')).toMatch(/Schedule nightly runs 22:00 UTC, \d\d:00 yours · in /);
  });

  it('tells what was paid today, that it balances, and how the last days were', async () => {
    await world.drop('ach-charge', 'june.csv', lines(upTo(6).map((n) => achRow(n))));
    await world.finish();
    const html = await front();
    expect(part(html, 'first')).not.toContain('No file has arrived yet');
    expect(part(html, 'today')).toMatch(/pending 6 · 150\.00 USD/);
    expect(part(html, 'today')).toContain('Accepted: 1 file, 6 rows, 150.00 USD');
    expect(part(html, 'today')).toContain('The day balances.');
    expect(part(html, 'month')).toContain('Money a day, USD');
    expect(part(html, 'month')).toContain('Rows a day: too few figures for a chart');
    expect(wordsOf(part(html, 'month'))).toMatch(/\d{4}-\d\d-\d\d\s*6\s*150\.00/);
    expect(part(html, 'needs')).toContain('Nothing needs attention');
  });

  it('shows what needs attention, worst first, with its money and a way to it', async () => {
    await writeFile(join(world.root, 'drop/ach-charge/held.csv.ctl'), 'rows=9\n');
    await world.drop('ach-charge', 'held.csv', lines([achRow(21)]));
    await world.finish();
    await force(
      `UPDATE batch SET state = 'unknown', reason = 'the connection was reset' WHERE batch_no = 1 AND rows = 2`,
    );
    await force(`UPDATE batch SET state = 'exception' WHERE batch_no = 2`);
    await force(`UPDATE batch SET state = 'refused' WHERE batch_no = 3`);
    await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'the bank is closed' });
    const html = await front();
    const words = part(html, 'needs');
    const first = ['june.csv, batch 1 In doubt 50.00 USD', 'Result mismatch', 'Refused'];
    const places = [...first, 'Sending stopped', 'Needs approval'].map((title) => words.indexOf(title));
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(words).toContain('The connection was reset');
    expect(words).toContain('the bank is closed');
    expect(words).not.toContain('Nothing needs attention');
    const { rows } = await world.app.ledger.pool.query('SELECT file_id, batch_no FROM batch WHERE state = $1', [
      'unknown',
    ]);
    expect(html).toContain(`href="/files/${rows[0].file_id}/batches/1"`);
    expect(part(html, 'today')).toContain('The day does not balance');
  });

  it('tells the stop of all accounts as such', async () => {
    const because = { actor: 'operator:ada', reason: 'amounts look wrong' };
    await pauseAccount(world.app.ledger, '*', because);
    expect(part(await front(), 'needs')).toMatch(/All accounts Sending stopped .*Paused by ada: amounts look wrong/);
    await resumeAccount(world.app.ledger, '*', because);
  });

  it('shows no number of a payer, no style and no script of its own', async () => {
    const html = await front();
    expect(html).not.toContain('0210000210');
    expect(html).not.toMatch(/ style=|<script(?! src="\/assets)/);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

const busy = {
  ...QUIET_DAY,
  accepted: { files: 2, rows: 5, cents: 12_500 },
  final: { approved: { rows: 3, cents: 7_500 }, declined: { rows: 1, cents: 2_500 } },
  open: { rows: 1, cents: 2_500 },
};

describe('Today', () => {
  it('shows each account by itself, in its currency', () => {
    const words = wordsOf(draw(Today, { front: quietFront({ today: [busy, { ...QUIET_DAY, account: 'uk' }] }) }));
    expect(words).toContain('approved 3 · 75.00 USD declined 1 · 25.00 USD Accepted: 2 files, 5 rows, 125.00 USD.');
    expect(words).toContain('uk No outcomes yet. Accepted: 0 files, 0 rows, 0.00 GBP.');
  });
});

describe('AccountDay', () => {
  it('says that the day balances, and leads to it', () => {
    const html = draw(AccountDay, { report: busy, currency: 'USD' });
    expect(wordsOf(html)).toContain('Still open: 1 row, 25.00 USD. The day balances.');
    expect(html).toContain('href="/report?account=main&amp;day=2026-06-15"');
  });

  it('says loudly by how much it does not', () => {
    const html = draw(AccountDay, { report: { ...busy, open: QUIET_DAY.open }, currency: 'USD' });
    expect(html).toContain('role="alert"');
    expect(wordsOf(html)).toContain('Difference: 1 row, 25.00 USD.');
  });
});

const at = new Date('2026-06-15T10:00:00Z');

describe('Next', () => {
  it('says what comes when, each in its own zone', () => {
    const coming = [
      { what: 'Schedule nightly runs', at, timeZone: 'UTC' },
      { what: 'Account uk may send again', at: null, timeZone: 'UTC' },
    ];
    const words = wordsOf(draw(Next, { front: quietFront({ coming }) }));
    expect(words).toContain('Schedule nightly runs 2026-06-15 10:00:00 +00:00 Account uk may send again never');
    expect(words).not.toContain('Expires within');
  });

  it('says what ends before long', () => {
    const expiring = [
      { what: 'token' as const, name: 'erp of ada', at },
      { what: 'originals' as const, name: 'main', at },
    ];
    const words = wordsOf(draw(Next, { front: quietFront({ expiring }) }));
    expect(words).toContain('API token erp of ada stops working 2026-06-15 06:00:00 -04:00');
    expect(words).toContain('The first originals of main are destroyed');
  });

  it('says how it is when nothing is set up', () => {
    expect(wordsOf(draw(Next, { front: quietFront() }))).toContain(
      'every file is taken and sent as soon as it is complete',
    );
  });
});

const file: OpenFile = {
  file_id: 'g7fhpaqs00000000',
  name: 'june.csv',
  account: 'main',
  operation: 'card',
  state: 'in_progress',
  state_at: new Date('2026-06-15T10:00:00Z'),
  reason: null,
  records: 1_200,
  valid_rows: 1_200,
  batches: 3,
  done: 1,
  checked_rows: null,
  expected_rows: null,
};

function page(open: Partial<OpenFile>[], needs: readonly Need[] = []): string {
  const files = open.map((change) => {
    const { state = file.state } = change;
    return { ...file, ...change, shown: shownOfState(state)!, blockedBy: [] };
  });
  return draw(OnTheirWay, { front: quietFront({ open: files, needs: [...needs] }) });
}

describe('OnTheirWay', () => {
  it('shows how far each file is', () => {
    expect(wordsOf(page([{}]))).toContain('june.csv main Processing 1,200 1 of 3 2026-06-15 06:00:00 -04:00');
    expect(page([{}])).toContain('href="/files/g7fhpaqs00000000"');
  });

  it('says of a file whose rows are not counted yet that it is being read', () => {
    expect(wordsOf(page([{ state: 'claimed', records: null, batches: 0 }]))).toContain(
      'Checking being read 2026-06-15',
    );
  });

  it('leaves out held files that the viewer has to approve, but not those that others have to', () => {
    const need = { ...NEED, kind: 'needs_approval', fileId: file.file_id } as const;
    expect(wordsOf(page([{ state: 'held' }], [need]))).toContain('Nothing is in progress');
    expect(wordsOf(page([{ state: 'held' }]))).toContain('june.csv main Needs approval');
  });

  it('shows the oldest twenty, and says so', () => {
    const html = page(Array.from({ length: 21 }, () => ({})));
    expect(html.match(/june\.csv/g)).toHaveLength(20);
    expect(html).toContain('The oldest 20 are shown.');
  });
});

const FILE = {
  fileId: 'g7fhpaqs00000000',
  name: 'june.csv',
  account: 'main',
  claimedAt: new Date('2026-06-15T10:00:00Z'),
  rows: 3,
  cents: 2_500,
  unreadable: 1,
};

describe('Withheld', () => {
  it('names each file with its rows and what of their money can be read', () => {
    const page = draw(Withheld, { front: quietFront({ withheld: [FILE] }) });
    expect(wordsOf(page)).toMatch(/Not paid.*june\.csv main 3 25\.00, 1 amount unreadable/);
    expect(page).toContain('href="/files/g7fhpaqs00000000"');
  });

  it('says nothing when all rows were sent', () => {
    expect(wordsOf(draw(Withheld, { front: quietFront() }))).toBe('');
  });
});

const NEED: Need = {
  kind: 'in_doubt',
  what: 'june.csv, batch 2',
  account: 'main',
  fileId: file.file_id,
  batchNo: 2,
  run: null,
  amount: { rows: 3, cents: 7_500 },
  since: at,
  says: 'reset',
  behind: { rows: 2, cents: 500 },
  next: { see: 'doubt', fileId: file.file_id, batchNo: 2 },
};

const attention = (change: Partial<Front>) =>
  draw(AttentionList, {
    front: quietFront(change),
    viewer: { person: 'ada', role: 'viewer', csrf: '', actions: undefined } as const,
  });

describe('AttentionList', () => {
  it.each([
    ['no work', { unready: [{ part: 'journal', why: 'cannot be written' }] }, 'is not working journal: cannot'],
    [
      'a day that does not balance',
      { today: [{ ...QUIET_DAY, accepted: { files: 1, rows: 1, cents: 100 } }] },
      'The day of account main does not balance',
    ],
    [
      'work that fails',
      { obstacles: [{ key: 'poll', what: 'Cannot fetch a result', why: 'no answer' } as Front['obstacles'][number]] },
      'Cannot fetch a result: no answer',
    ],
    [
      'a role that no process has',
      {
        obstacles: [
          {
            key: 'role:submit',
            what: 'No process sends batches',
            why: 'none with the role submit was ever started; 3 batches wait to be sent',
            next: 'Start one.',
          } as Front['obstacles'][number],
        ],
      },
      'No process does this work No process sends batches: none with the role submit was ever started; 3 batches wait to be sent. Start one.',
    ],
    [
      'what waits for a person',
      { needs: [NEED] },
      'june.csv, batch 2 In doubt 75.00 USD main 2026-06-15 06:00:00 -04:00 Reset. 2 payments, 5.00 USD, wait behind it',
    ],
  ] satisfies [string, Partial<Front>, string][])('tells of %s', (_what, change, says) => {
    const words = wordsOf(attention(change));
    expect(words).toContain(says);
    expect(words).not.toContain('Nothing needs attention');
  });

  it('shows the first five things, and leads to the others', () => {
    const html = attention({ needs: Array.from({ length: 6 }, (_, n) => ({ ...NEED, what: `thing ${n}` })) });
    expect(html).toContain('thing 4');
    expect(html).not.toContain('thing 5');
    expect(html).toContain('<a href="/queue">See all 6 things</a>');
    expect(attention({ needs: [NEED] })).not.toContain('See all');
  });

  it('says calmly when nothing waits', () => {
    const html = attention({ today: [QUIET_DAY] });
    expect(wordsOf(html)).toContain('Nothing needs attention');
    expect(html).not.toMatch(/<table|role="alert"/);
  });
});
