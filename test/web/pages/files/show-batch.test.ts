import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { BatchState } from '../../../../schemas/lifecycle.ts';
import { proposeApproval } from '../../../../src/ledger/file/release-held.ts';
import { findFile } from '../../../../src/ledger/file/search.ts';
import { CARD, cardRow, lines, upTo } from '../../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld, type TestBrowser } from '../../support/dashboard-world.ts';
import { forceSql } from '../../../support/force-sql.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../../support/read-page.ts';
import type { AttemptInDoubt } from '../../../../src/ledger/doubt/in-doubt.ts';
import { foundDoubt } from '../../../cli/support/found-doubt.ts';
import { BatchAttempts } from '../../../../src/web/pages/files/show-batch.tsx';

let world: DashboardWorld;
let viewer: TestBrowser;
let fileId: string;
beforeAll(async () => {
  world = await openDashboardWorld();
  world.sandbox.faults.plan({ kind: 'result-row-missing', operation: 'getBatchProcessResultFile' });
  await world.drop('card', 'monday.csv', lines(upTo(3).map((n) => cardRow(n))));
  await world.finish();
  ({ file_id: fileId } = await findFile(world.app.ledger, 'monday.csv'));
  viewer = await world.as('viewer');
});
afterAll(() => world.close());

const path = () => `/files/${fileId}/batches/1`;
const force = (state: BatchState) =>
  forceSql(world.app, 'UPDATE batch SET state = $2 WHERE file_id = $1', [fileId, state]);

describe('/files/:fileId/batches/:batchNo', () => {
  it('lays both sides of an exception beside each other', async () => {
    const { status, text } = await viewer.get(path());
    expect(status).toBe(200);
    expect(wordsOf(sectionOf(text, 'Batch 1 of monday.csv'))).toContain('State exception');
    const comparison = sectionOf(text, 'What was sent and what came back');
    expect(wordsOf(comparison)).toContain('3 rows sent, 2 came back, 1 differs.');
    expect(tableOf(comparison)).toEqual([
      ['3', '3', 'C-3', '25.00', 'number ending 2220', 'did not come back', '', '', '', ''],
    ]);
    expect(tableOf(sectionOf(text, 'Attempts'))[0]![4]).toBe('taken by the service');
    expect(text).not.toContain(CARD);
  });

  it('shows the rest when the result cannot be opened any more', async () => {
    await forceSql(world.app, `UPDATE sealed_part SET bytes = '\\x00' WHERE file_id = $1 AND part = 'result'`, [
      fileId,
    ]);
    const { status, text } = await viewer.get(path());
    expect([status, tableOf(sectionOf(text, 'Attempts')).length]).toEqual([200, 1]);
    expect(wordsOf(sectionOf(text, 'What was sent and what came back'))).toContain('sealed data was changed or cut');
  });

  it('says of a batch in doubt what is known and where to go on', async () => {
    await force('unknown');
    const { text } = await viewer.get(path());
    expect(wordsOf(sectionOf(text, 'What is known'))).toContain('It may or may not have been accepted');
    expect(linksOf(text)).toContain(`${path()}/resolve`);
  });

  it.each<[BatchState, string[]]>([
    ['unknown', []],
    ['exception', ['disown', 'repoll']],
    ['submitted', ['repoll']],
    ['refused', ['retry', 'withdraw']],
    ['ready', ['cancel-batch']],
    ['sending', []],
    ['reconciled', []],
    ['cancelled', []],
  ])('offers an administrator what can be done in %s, and a viewer nothing', async (state, actions) => {
    await force(state);
    const links = async (browser: TestBrowser) =>
      linksOf((await browser.get(path())).text).filter((link) => link.includes('/do/'));
    expect(await links(await world.as('admin'))).toEqual(actions.map((action) => `${path()}/do/${action}`));
    expect(await links(viewer)).toEqual([]);
  });

  it('does not offer to cancel a batch of a file that is held, and says when a second person is waited for', async () => {
    await force('ready');
    await forceSql(world.app, `UPDATE file SET state = 'held' WHERE file_id = $1`, [fileId]);
    await proposeApproval(world.app.ledger, fileId, { actor: 'operator:operator', reason: 'it is right' });
    const { text } = await (await world.as('admin')).get(path());
    expect(linksOf(text).filter((link) => link.includes('/do/'))).toEqual([]);
    expect(linksOf(text)).toContain('/proposals');
    expect(wordsOf(text)).toContain('operator proposed “approve”');
  });

  it.each(['2', '0', 'x', '1%00'])('knows no batch "%s"', async (batchNo) => {
    expect([400, 404]).toContain((await viewer.get(`/files/${fileId}/batches/${batchNo}`)).status);
  });
});

const [CALL] = foundDoubt().attempts;
const draw = (...attempts: Partial<AttemptInDoubt>[]) =>
  renderToString(
    h(BatchAttempts, { attempts: attempts.map((attempt) => ({ ...CALL!, ...attempt })), timeZone: 'America/Toronto' }),
  );

describe('BatchAttempts', () => {
  it.each([
    [{ verdict: null, ended_at: null }, 'none yet'],
    [{ verdict: 'submitted', evidence: { text: '<b>BATCHID 7</b>' } }, '&lt;b>BATCHID 7&lt;/b>'],
    [{ verdict: 'refused' }, 'refused by the service'],
    [{ verdict: 'not_sent' }, 'nothing was sent'],
    [{ verdict: 'unknown' }, 'in doubt'],
    [{ verdict: 'unknown', resolution: 'not_received' }, 'the service never took it'],
    [{ evidence: { bytesWritten: 10 } }, '10 bytes; the request has 900 and its head'],
    [{}, '2026-06-15 06:00:00 -04:00'],
  ])('tells %j in words', (attempt, words) => {
    expect(draw(attempt)).toContain(words);
  });

  it('says what would stand here', () => {
    expect(draw()).toContain('It was not sent yet.');
  });
});
