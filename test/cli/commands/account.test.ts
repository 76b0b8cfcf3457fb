import { appendFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forceSql } from '../../support/force-sql.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { dayReport } from '../../workers/support/resolve-context.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { AccountComparison } from '../../../src/actions/resolve/reconcile-account.ts';
import { accountTable, comparisonText, forgottenTable } from '../../../src/cli/commands/account.ts';
import type { ForgottenSend, HoldingBatch, Stop } from '../../../src/ledger/account/read-holds.ts';

describe('account', () => {
  const world = openedForTests(() => openCliWorld({ account: { timeZone: 'America/Toronto' } }));

  const me = `operator:${userInfo().username}`;
  const list = async () =>
    JSON.parse((await world.paydrop('account', 'list', '--json')).out) as {
      account: string;
      stops: { kind: string }[];
    }[];

  describe('account pause and resume', () => {
    it('want a reason, and an account that is known or --all, not both', async () => {
      expect(await world.paydrop('account', 'pause', 'main')).toMatchObject({ status: 1, out: '' });
      for (const words of [['main', '--all'], [], ['nobody']]) {
        const { status, err } = await world.paydrop('account', 'pause', ...words, '--reason', 'x');
        expect({ words, status }).toEqual({ words, status: 1 });
        expect(err).toMatch(/give either an account or --all|There are: main\./);
      }
      expect((await list()).flatMap((state) => state.stops)).toEqual([]);
    });

    it.each([
      ['main', 'account main'],
      ['--all', 'all accounts'],
    ])('stop %s, and let it go on', async (who, named) => {
      if (who === '--all')
        expect(await world.says('account', 'pause', who, '--plan')).toContain(
          'All accounts send nothing until a user resumes.',
        );
      const { out, status } = await world.paydrop('account', 'pause', who, '--reason', 'amounts look wrong');
      expect({ out, status }).toEqual({ out: `Paused: ${named}. No new submission starts.\n`, status: 0 });
      const plan = await world.paydrop('account', 'pause', who, '--plan');
      expect([plan.status, plan.out]).toEqual([0, expect.stringContaining('It cannot be done: it is already paused.')]);
      expect((await world.paydrop('account', 'pause', who, '--reason', 'again')).out).toBe(
        `${named.replace(/^a/, 'A')} ${who === '--all' ? 'were' : 'was'} paused before.\n`,
      );
      const listed = (await world.paydrop('account', 'list')).out;
      expect(listed).toMatch(/^main +paused +0 +0/m);
      expect(listed).toContain(`paused by ${me} at `);
      const resumed = await world.paydrop('account', 'resume', who, '--reason', 'they are right');
      expect(resumed).toEqual({ status: 0, out: `Resumed: ${named}.\n`, err: '' });
    });

    it('say what still holds the account after a resume', async () => {
      await world.paydrop('account', 'pause', '--all', '--reason', 'wait');
      const { out } = await world.paydrop('account', 'resume', 'main', '--reason', 'go on');
      expect(out).toContain('Nothing had stopped account main.\nStill held, main: All accounts were paused by');
      await world.paydrop('account', 'resume', '--all', '--reason', 'go on');
    });
  });

  describe('account left', () => {
    it('lists nothing, then what a former account left, with its exit status', async () => {
      expect(await world.paydrop('account', 'left')).toMatchObject({
        status: 0,
        out: 'Nothing is left over of former accounts.\n',
      });
      expect((await world.paydrop('account', 'left', 'nobody')).status).toBe(1);
      await world.drop('ach-charge', 'left.csv', lines([achRow(77, { invoice: 'LEFT' })]));
      await world.paydrop('account', 'pause', 'main', '--reason', 'wait');
      await world.finish();
      const { pool } = world.app.ledger;
      const rename = (from: string, to: string) =>
        forceSql(
          world.app,
          `UPDATE file SET account = '${to}' WHERE account = '${from}' AND name = 'left.csv';
          UPDATE batch SET account = '${to}' WHERE account = '${from}' AND file_id IN (SELECT file_id FROM file WHERE name = 'left.csv')`,
        );
      await pool.query(`INSERT INTO account (account, merchant_no, country, currency, since)
        SELECT 'main.1', merchant_no, country, currency, since FROM account WHERE account = 'main'`);
      await rename('main', 'main.1');
      const { status, out, err } = await world.paydrop('account', 'left');
      expect({ status, err }).toEqual({ status: 3, err: '' });
      expect(out).toMatch(/^Account +What +Id +Rows +Total +Since\n.*\nmain\.1 +left\.csv +\w{16} +1 +\S+ /);
      expect(out).toContain(
        'main.1: left.csv: Unsent batches are stopped. Move them to the present account: "paydrop move',
      );
      const json = await world.paydrop('account', 'left', 'main', '--json');
      expect(JSON.parse(json.out)).toMatchObject([{ kind: 'unsent', account: 'main.1', rows: 1 }]);
      await rename('main.1', 'main');
      await pool.query(`DELETE FROM account WHERE account = 'main.1'`);
      await world.paydrop('account', 'resume', 'main', '--reason', 'go on');
    });
  });

  describe('account forgotten and acknowledge', () => {
    it('show what only the send journal knows, and let the account be resumed after a person has looked', async () => {
      const entry = {
        at: '2026-06-14T12:00:00.000Z',
        account: 'main',
        fileId: 'zzzzzzzzzzzzzzzz',
        batchNo: 1,
        attempt: 1,
        sha256: 'a'.repeat(64),
      };
      await appendFile(world.settings.paths.journal, `\n${JSON.stringify(entry)}`);
      // The first check after a restore must not report that all is well.
      const { out: known } = await world.paydrop('account', 'forgotten', 'main');
      expect(known).toContain('zzzzzzzzzzzzzzzz/1');
      const refused = await world.paydrop('account', 'resume', 'main', '--reason', 'go on');
      expect(refused).toMatchObject({ status: 5, out: '' });
      expect(refused.err).toContain('paydrop account acknowledge main');
      expect(await list()).toMatchObject([{ account: 'main', forgotten: 1, stops: [{ kind: 'journal' }] }]);

      const { out } = await world.paydrop('account', 'forgotten', 'main');
      expect(out).toMatch(/2026-06-14 08:00:00 -04:00 +zzzzzzzzzzzzzzzz\/1 +1 +not known/);
      const report = join(world.root, 'report.csv');
      await writeFile(
        report,
        dayReport([{ at: new Date(entry.at), invoice: 'LOST-1' }], world.settings.accounts.get('main')!.agentCode),
      );
      const compared = await world.paydrop('account', 'reconcile', 'main', '--report', report, '--reason', 'a restore');
      expect(compared.status).toBe(5);
      expect(compared.out).toContain('not yet acknowledged: 1.');
      expect(compared.out).toContain('LOST-1');
      const acknowledged = await world.paydrop('account', 'acknowledge', 'main', '--reason', 'all in the report');
      expect(acknowledged.out).toContain('Acknowledged: 1 call.');
      expect((await world.paydrop('account', 'acknowledge', 'main', '--reason', 'again')).out).toContain('nothing new');
      expect(await world.paydrop('account', 'resume', 'main', '--reason', 'go on')).toMatchObject({
        status: 0,
        err: '',
      });
      expect(JSON.parse((await world.paydrop('account', 'forgotten', 'main', '--json')).out)).toMatchObject([
        { fileId: 'zzzzzzzzzzzzzzzz', acknowledgedBy: me },
      ]);
    });

    it('want an account that is known', async () => {
      expect(await world.paydrop('account', 'forgotten', 'nobody')).toMatchObject({ status: 1, out: '' });
      expect(await world.paydrop('account', 'acknowledge', 'nobody', '--reason', 'x')).toMatchObject({ status: 1 });
    });
  });
});

const since = new Date('2026-06-15T10:00:00Z');
const quiet: Parameters<typeof accountTable>[0][number] = {
  account: 'main',
  ready: 2,
  onTheirWay: 1,
  forgotten: 0,
  stops: [],
  batches: [],
  isLedgerOpen: true,
  shown: 'sends',
};
const stop: Stop = { account: 'main', kind: 'pause', reason: 'wait', actor: 'operator:ada', since };
const batch: HoldingBatch = {
  fileId: 'g7fhpaqs00000000',
  name: 'june.csv',
  batchNo: 2,
  state: 'unknown',
  rows: 3,
  cents: 7_500,
  since,
  reason: null,
};

const lineOf = (state: typeof quiet) => accountTable([state], () => 'UTC', new Map()).split('\n')[2];

describe('accountTable', () => {
  it.each([
    ['sends', 'sends'],
    ['paused', 'paused'],
    ['in doubt', 'in_doubt'],
    ['ledger closed', 'ledger_closed'],
  ] as const)('says in a word: %s', (word, shown) => {
    expect(lineOf({ ...quiet, shown })).toMatch(new RegExp(`^main +${word} +2 +1`));
  });

  it('counts the money in doubt, and says below what holds whom', () => {
    const text = accountTable(
      [{ ...quiet, batches: [batch, { ...batch, batchNo: 3 }], stops: [stop], forgotten: 4 }],
      () => 'UTC',
      new Map(),
    );
    expect(text.split('\n')[2]).toMatch(/6 rows, 150\.00 +4 +not known yet$/);
    expect(text.split('\n').filter((line) => line.startsWith('main: '))).toHaveLength(3);
    expect(accountTable([quiet], () => 'UTC', new Map())).not.toContain('main: ');
    expect(accountTable([{ ...quiet, isLedgerOpen: false }], () => 'UTC', new Map())).toContain('The ledger is closed');
  });
});

describe('forgottenTable', () => {
  const send: ForgottenSend = {
    fileId: 'g7fhpaqs00000000',
    batchNo: 1,
    attempt: 2,
    sha256: 'ab'.repeat(32),
    at: since,
    since,
    batchState: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    batchId: null,
  };

  it('lists each call with what the ledger says of it, who has looked, and what to do', () => {
    const looked = {
      ...send,
      batchState: 'reconciled',
      acknowledgedAt: since,
      acknowledgedBy: 'operator:ada',
    } as const;
    const text = forgottenTable('main', [send, looked], 'America/Toronto');
    expect(text).toMatch(/2026-06-15 06:00:00 -04:00 +g7fhpaqs00000000\/1 +2 +not known +abab/);
    expect(text).toMatch(/reconciled +operator:ada 2026-06-15 06:00:00 -04:00/);
    expect(text).toContain('paydrop account acknowledge main --reason');
    expect(forgottenTable('main', [{ ...send, batchId: '1004' }], 'UTC')).toContain('batch id 1004');
  });

  it('says when there is none', () => {
    expect(forgottenTable('main', [], 'UTC')).toBe(
      'The ledger has every call of this account that the send journal has.',
    );
  });
});

describe('comparisonText', () => {
  const line = {
    transactionId: 'A1',
    invoice: 'LOST-1',
    amountCents: 750,
    lastFour: '0001',
    at: { text: '', utc: since.toISOString() },
  };
  const found: AccountComparison = {
    sha256: 'ab',
    from: since,
    to: since,
    charged: 61,
    known: 1,
    unknown: Array.from({ length: 60 }, () => line),
    archived: 1,
    inDoubt: [{ fileId: 'f', batchNo: 1, name: 'june.csv', rows: 3, shown: 2 }],
    calls: { forgotten: 4, outside: 1, unknown: 2 },
  };

  it('says what the report shows, what is in doubt now, and what to do', () => {
    const text = comparisonText('main', found, 'America/Toronto');
    expect(text).toContain(
      'from 2026-06-15 06:00:00 -04:00 to 2026-06-15 06:00:00 -04:00: 61, of which the ledger sent 1.',
    );
    expect(text).toContain('not yet acknowledged: 4; 1 call outside that time.');
    expect(text).toContain('which rows went out with 2 forgotten calls stays unknown');
    expect(text).toContain('batch 1 of june.csv, of which the report shows 2 of 3 rows');
    expect(text).toContain('not in the ledger: 60 payments, 450.00.');
    expect(text).toMatch(/-04:00 +LOST-1 +7\.50 +0001 +A1\n/);
    expect(text.match(/LOST-1/g)).toHaveLength(50);
    expect(text).toContain('And 10 more');
    expect(text).toContain('1 of them has the invoice of an archived row.');
    expect(text).toContain('paydrop account acknowledge main');
  });

  it('says so when nothing is unknown, and when the report shows nothing', () => {
    expect(comparisonText('main', { ...found, unknown: [] }, 'UTC')).toContain(
      'The ledger knows every charged payment in it.',
    );
    expect(comparisonText('main', { ...found, from: null, to: null }, 'UTC')).toContain('it proves nothing');
  });
});
