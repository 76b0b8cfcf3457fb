import { beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount } from '../../src/ledger/account/pause-account.ts';
import { SHOWN } from '../../schemas/shown.ts';
import { type CliWorld, openCliWorld } from '../cli/support/cli-world.ts';
import { forceSql } from '../support/force-sql.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { cardRow, lines } from '../support/payment-rows.ts';
import {
  type DashboardWorld,
  openDashboardWorld,
  type TestBrowser,
  type TestProgram,
} from './support/dashboard-world.ts';
import { sectionOf, tableOf, wordsOf } from './support/read-page.ts';
import { sendFile } from './support/send-file.ts';

const FOLDERS = ['main', 'side'].map((account) => ({
  path: `drop/${account}`,
  account,
  operation: 'card',
  complete: { by: 'quiet', quietMs: 20, probes: 2 },
}));
const SIDE = { agentCode: 'SIDE', password: 'TEST88', server: 'NA', country: 'US', currency: 'USD' };
const WHY = 'account side is paused by ada: amounts look wrong';

describe('how a file stands, wherever a person looks', () => {
  let cli: CliWorld;
  const world = openedForTests<DashboardWorld>(() =>
    openDashboardWorld({ accounts: { side: SIDE }, settings: { folders: FOLDERS } }, async (options) => {
      cli = await openCliWorld(options);
      return cli;
    }),
  );
  let viewer: TestBrowser;
  let program: TestProgram;

  beforeAll(async () => {
    const because = { actor: 'operator:ada', reason: 'amounts look wrong' };
    await pauseAccount(world.app.ledger, 'side', because);
    await pauseAccount(world.app.ledger, 'main', because);
    await world.drop('main', 'lost.csv', lines([cardRow(1)]));
    await world.drop('side', 'waits.csv', lines([cardRow(2)]));
    await world.finish();
    await forceSql(world.app, `DELETE FROM account_stop WHERE account = 'main'`);
    await forceSql(world.app, `UPDATE batch SET state = 'unknown' WHERE account = 'main'`);
    await forceSql(world.app, `UPDATE file SET state = 'in_progress' WHERE account = 'main'`);
    viewer = await world.as('viewer');
    program = await world.program('viewer', ['look']);
  });

  const page = async (path: string) => (await viewer.get(path)).text;
  const idOf = async (name: string) => {
    const { rows } = await world.app.ledger.pool.query<{ id: string }>(
      'SELECT file_id AS id FROM file WHERE name = $1',
      [name],
    );
    return rows[0]!.id;
  };
  const rowOf = (html: string, name: string) =>
    tableOf(html)
      .find((cells) => cells.includes(name))!
      .join(' | ');

  const LOOKS: readonly (readonly [string, (name: string) => Promise<string>])[] = [
    ['the list of files', async (name) => rowOf(sectionOf(await page('/files'), 'Payment files'), name)],
    [
      'the head of its page',
      async (name) => /data-state=.*?>([^<]+)</.exec(await page(`/files/${await idOf(name)}`))![1]!,
    ],
    ['its notice', async (name) => wordsOf(sectionOf(await page(`/files/${await idOf(name)}`), 'Status'))],
    ['its batch', async (name) => wordsOf(await page(`/files/${await idOf(name)}/batches/1`))],
    ['Today', async (name) => rowOf(sectionOf(await page('/'), 'In progress'), name)],
    ['the search', async (name) => rowOf(sectionOf(await page(`/search?q=${name}`), 'Files'), name)],
    [
      'the page of its account',
      async (name) => rowOf(await page(`/accounts/${name === 'lost.csv' ? 'main' : 'side'}`), name),
    ],
    [
      'paydrop status',
      (name) => cli.says('status').then((text) => text.split('In progress')[1]!.split(name)[1]!.split('\n')[0]!),
    ],
    ['paydrop why', (name) => cli.says('why', name)],
    // Below it stands the audit trail, which keeps the names of the ledger.
    ['paydrop show', async (name) => (await cli.says('show', name)).split('\nWhen')[0]!],
  ];

  it.each(LOOKS)('%s calls a file in doubt by the same word', async (_where, look) => {
    const said = await look('lost.csv');
    expect(said.toLowerCase()).toContain(SHOWN.in_doubt.word.toLowerCase());
    expect(said).not.toMatch(/[Pp]rocessing|in_progress|\bunknown\b/);
  });

  it.each(LOOKS)('%s calls a file of a stopped account by the same word', async (_where, look) => {
    const said = await look('waits.csv');
    expect(said.toLowerCase()).toContain(SHOWN.blocked.word.toLowerCase());
    expect(said).not.toMatch(/[Qq]ueued|accepted\b/);
  });

  it('the API answers it with the cause, beside the state of the ledger', async () => {
    const [lost, waits] = [await idOf('lost.csv'), await idOf('waits.csv')];
    const block = { kind: 'paused', account: 'side', says: WHY, fileId: null, batchNo: null };
    const doubtful = { state: 'in_progress', shown: 'in_doubt', blockedBy: [] };
    const blocked = { state: 'accepted', shown: 'blocked', blockedBy: [expect.objectContaining(block)] };
    const ask = async (path: string) => (await program.ask(path)).json;
    const byName = (files: { name: string }[]) => files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    expect(byName((await ask('/files')).files)).toMatchObject([doubtful, blocked]);
    expect(byName((await ask('/overview')).open)).toMatchObject([doubtful, blocked]);
    for (const [id, expected] of [
      [lost, doubtful],
      [waits, blocked],
    ] as const) {
      expect((await ask(`/files/${id}`)).file).toMatchObject(expected);
      expect((await ask(`/search?q=${id}`)).file).toMatchObject(expected);
      expect((await ask(`/files/${id}/batches/1`)).batch).toMatchObject({ shown: expected.shown });
      expect(await ask(`/files/${id}/why`)).toMatchObject({ shown: expected.shown });
    }
  });

  it('a drop into the stopped account is told as blocked, before and after', async () => {
    const operator = await world.as('operator');
    const file = { name: 'more.csv', folder: 'drop/side', content: lines([cardRow(3)]) };
    const { json: checked } = await sendFile(operator, 'check', file);
    expect(checked).toMatchObject({
      verdict: 'accept',
      shown: 'blocked',
      title: 'Accepted, but blocked',
      blockedBy: [WHY],
    });
    const { json: dropped } = await sendFile(operator, 'submit', file);
    await world.finish();
    const { text } = await operator.get(`/drop/uploads/${dropped.uploadNo}`);
    expect(JSON.parse(text)).toMatchObject({
      state: 'accepted',
      shown: 'blocked',
      says: 'Received. 1 payment, 25.00 USD: blocked. Account side is paused by ada: amounts look wrong.',
    });
  });

  it('a drop into the account with money in doubt is blocked by the batch', async () => {
    const operator = await world.as('operator');
    const { json } = await sendFile(operator, 'check', { folder: 'drop/main', content: lines([cardRow(4)]) });
    expect(json).toMatchObject({ shown: 'blocked', blockedBy: ['batch 1 of lost.csv is in doubt'] });
  });

  it('a held file says what it waits for and what blocks it then; a refused one is blocked by nothing', async () => {
    const operator = await world.as('operator');
    const held = { folder: 'drop/side', content: lines([cardRow(5), cardRow(5)]) };
    expect((await sendFile(operator, 'check', held)).json).toMatchObject({ shown: 'needs_approval', blockedBy: [WHY] });
    expect((await sendFile(operator, 'check', { folder: 'drop/side', content: 'a,b\n' })).json).toMatchObject({
      shown: 'rejected',
      blockedBy: [],
    });
  });
});
