import { describe, expect, it } from 'vitest';
import { ALL_ACCOUNTS, pauseAccount, resumeAccount } from '../../../../src/ledger/account/pause-account.ts';
import { achRow, lines, upTo } from '../../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser, type TestPerson } from '../../support/dashboard-world.ts';
import { partOf, wordsOf } from '../../support/page-words.ts';
import { forceSql } from '../../../support/force-sql.ts';

const world = dashboardForTests({ settings: { batch: { maxRows: 2 } } });
const force = (sql: string, values?: unknown[]) => forceSql(world.app, sql, values);
const because = { actor: 'operator:ada', reason: 'the bank is closed' };

/** Logs a person in once: log-ins are limited. */
const browsers = new Map<TestPerson, Promise<TestBrowser>>();
function as(person: TestPerson): Promise<TestBrowser> {
  const browser = browsers.get(person) ?? world.as(person);
  browsers.set(person, browser);
  return browser;
}

async function queue(list = '', person: TestPerson = 'viewer'): Promise<string> {
  const { status, text } = await (await as(person)).get(`/queue${list && `?list=${list}`}`);
  expect(status).toBe(200);
  return text;
}

/** Returns the text of the only section, which is the list. */
function listOf(html: string): string {
  return wordsOf(html.slice(html.indexOf('<section'), html.indexOf('</section>')));
}

/** Returns the text of a stage. */
function cardOf(html: string, title: string): string {
  const cards = html
    .split('<li class="card stage">')
    .slice(1)
    .map((card) => wordsOf(card.split('</li>')[0]!));
  return cards.find((card) => card.startsWith(title))!;
}

async function fileIdOf(name: string): Promise<string> {
  const { rows } = await world.app.ledger.pool.query('SELECT file_id FROM file WHERE name = $1', [name]);
  return rows[0].file_id;
}

/** The tests build on each other. */
describe('queuePage', () => {
  it('has the policy of all other pages', async () => {
    const browser = await as('viewer');
    const policyOf = async (path: string) => (await browser.get(path)).headers.get('content-security-policy');
    expect(await policyOf('/queue')).toBe(await policyOf('/me'));
    expect(await policyOf('/queue')).toContain("base-uri 'none'");
  });

  it('says calmly that nothing waits, in every list', async () => {
    const html = await queue();
    expect(partOf(html, 'headline')).toContain('Nothing needs you.');
    expect(html.match(/<li class="card stage">/g)).toHaveLength(7);
    expect(cardOf(html, 'To send')).toBe('To send 0 batches 0 a minute');
    expect(listOf(html)).toContain('Nothing needs you.');
    for (const list of ['blocked', 'waiting', 'failed', 'finished', 'doubt'])
      expect([list, await queue(list)]).toEqual([list, expect.stringMatching(/class="empty"/)]);
    expect(listOf(await queue('again'))).toContain('Nothing of this kind');
    expect(await queue('nonsense')).toContain('<h2 id="s-needs-you">');
  });

  it('shows what ended, how long it took, and the flow of the last minutes', async () => {
    await world.drop('ach-charge', 'june.csv', lines(upTo(6).map((n) => achRow(n))));
    await world.finish();
    const html = await queue('finished');
    expect(listOf(html)).toMatch(/june\.csv, batch 3 Reconciled 50\.00 USD main \d\d:\d\d · just now \d+ s/);
    expect(listOf(html)).toContain('june.csv Completed 150.00 USD main');
    expect(listOf(html)).not.toContain('counts and cents');
    expect(html).toContain(`href="/files/${await fileIdOf('june.csv')}/batches/1"`);
    expect(cardOf(html, 'Reconciling')).toBe('Reconciling 0 batches 0.6 a minute');
  });

  it('lists payments that may go again by advice, with what to do', async () => {
    await force(
      `UPDATE row_outcome SET outcome = 'declined', code = CASE WHEN line = 2 THEN 14 ELSE 16 END WHERE line IN (2, 3)`,
    );
    const later = await queue('again', 'operator');
    expect(listOf(later)).toMatch(/1 payment, 25\.00 USD of main/);
    expect(listOf(later)).toMatch(/A-2 ••0002 25\.00 USD Declined The card is over its limit/);
    expect(later).toContain(`name="item" id="item-${await fileIdOf('june.csv')}-2"`);
    expect(wordsOf(later)).toContain('All 1 in this list');
    // The count of the tab is that of its first list, and of all that its other lists have.
    expect(wordsOf(later)).toContain('May go again 1 of 2 ');
    expect(listOf(later)).toContain(' All 2 ');
    expect(listOf(await queue('again&advice=fix'))).toContain('The card number is wrong');
    expect(listOf(await queue('again&advice=all'))).toContain('2 payments');
    expect(listOf(await queue('again&advice=nonsense'))).toContain('1 payment,');
    expect(await queue('again', 'viewer')).not.toContain('type="checkbox" name=');
    // Sent again, a barred payment would only be left out.
    await force('UPDATE row_outcome SET code = 7 WHERE code = 16');
    const never = await queue('again&advice=never', 'operator');
    expect([listOf(never).includes('1 payment,'), never.includes('name="item"')]).toEqual([true, false]);
    await force('UPDATE row_outcome SET code = 16 WHERE code IN (7, 14)');
    const none = await queue('again', 'operator');
    expect([wordsOf(none).includes('May go again 0 of 2 '), listOf(none).includes('0 payments')]).toEqual([true, true]);
    await force('UPDATE row_outcome SET code = 14 WHERE line = 2');
  });

  it('begins with what may go again when nothing needs the person, for those who may reprocess', async () => {
    const { status, location } = await (await as('operator')).get('/queue?account=main');
    expect([status, location]).toEqual([303, '/queue?list=again&account=main']);
    expect(await queue('', 'viewer')).toContain('<h2 id="s-needs-you">');
    expect((await (await as('operator')).get('/queue', { 'x-live': '1' })).status).toBe(200);
  });

  it('has boxes for refused batches and for files that never came back, and none for money in doubt', async () => {
    const id = await fileIdOf('june.csv');
    await force(
      `UPDATE batch SET state = CASE batch_no WHEN 2 THEN 'refused' ELSE 'unknown' END, reason = 'x' WHERE batch_no > 1`,
    );
    await force(
      `INSERT INTO resubmission (file_id, account, name, sha256, rows, cents, actor, reason, at)
       SELECT file_id, account, 'june-again.csv', 'a', 1, 2500, 'operator:ada', 'again', now() - interval '1 day' FROM file`,
    );
    const again = await queue('again', 'operator');
    for (const box of [
      `value="batch:${id}/2" aria-label="Select june.csv, batch 2"`,
      'aria-label="Select june-again.csv"',
    ])
      expect(again).toContain(box);
    expect(again).not.toContain(`batch:${id}/3`);
    expect(await queue('doubt', 'operator')).not.toContain('type="checkbox" name=');
    await force('DELETE FROM resubmission');
    await force(`UPDATE batch SET state = 'reconciled' WHERE batch_no > 1`);
  });

  it('begins a page after the row that the address names, and ignores an odd place', async () => {
    const { rows } = await world.app.ledger.pool.query('SELECT file_no FROM file');
    expect(listOf(await queue(`again&advice=all&after=${rows[0].file_no}.2`))).not.toContain('over its limit');
    expect(listOf(await queue(`again&advice=all&after=${rows[0].file_no}.x`))).toContain('over its limit');
  });

  it('names what stops an account, with the batches and the money that wait behind it', async () => {
    await pauseAccount(world.app.ledger, 'main', because);
    await world.drop('ach-charge', 'july.csv', lines(upTo(5).map((n) => achRow(n + 50))));
    await world.finish();
    const html = await queue('blocked');
    expect(cardOf(html, 'To send')).toMatch(
      /^To send 3 batches 5 payments, 125\.00 USD Nothing is sent for main: account main is paused by ada: the bank is closed oldest \d+ s/,
    );
    expect(listOf(html)).toContain(
      'Account main is paused by ada: the bank is closed 3 batches of account main, with 5 payments, 125.00 USD, wait behind it.',
    );
    expect(listOf(html)).toContain('july.csv, batch 3 1 25.00 USD');
    expect(partOf(html, 'headline')).toContain('1 thing needs you. 5 payments ( 125.00 USD ) are blocked.');
    expect(html).toContain('<a href="/accounts/main">account main is paused by ada: the bank is closed</a>');
    expect(html).toContain('<a href="/accounts/main">See the account</a>');
    await resumeAccount(world.app.ledger, 'main', because);
    await pauseAccount(world.app.ledger, ALL_ACCOUNTS, because);
    const ofAll = await queue('blocked');
    expect(ofAll).toContain('<a href="/accounts">all accounts are paused by ada: the bank is closed</a>');
    expect(ofAll).toContain('<a href="/accounts">See the account</a>');
    await pauseAccount(world.app.ledger, 'main', because);
    await resumeAccount(world.app.ledger, ALL_ACCOUNTS, because);
  });

  it('lists what needs a person with one button, for those who may use it', async () => {
    const words = 'Account main Sending stopped main';
    const asApprover = await queue('needs', 'approver');
    expect(listOf(asApprover)).toContain(words);
    expect(listOf(asApprover)).toContain('Paused by ada: the bank is closed. 5 payments, 125.00 USD, wait behind it');
    expect(asApprover).toContain(
      '<a class="button" href="/accounts/main/do/resume?from=%2Fqueue%3Flist%3Dneeds">Resume…</a>',
    );
    expect(listOf(await queue())).toContain(words);
    expect(await queue()).not.toContain('/do/resume');
  });

  it('counts beside the navigation and in the title what the list has', async () => {
    await force(`UPDATE batch SET state = 'unknown', reason = 'reset' WHERE batch_no = 2 AND state = 'reconciled'`);
    const html = await queue('needs', 'operator');
    expect(html).toMatch(/<title>\(2\) Queue/);
    expect(html.slice(html.indexOf('<section'), html.indexOf('</section>')).match(/<tr/g)).toHaveLength(1 + 2);
    expect(partOf(html, 'headline')).toContain('2 things need you.');
  });

  it('lists money in doubt apart, says why it has no boxes, and leads to its guide', async () => {
    const html = await queue('doubt', 'operator');
    expect(listOf(html)).toContain('cannot be sent again from a list');
    expect(html).toContain(`href="/files/${await fileIdOf('june.csv')}/batches/2/resolve">Resolve</a>`);
    await force(`UPDATE batch SET state = 'reconciled' WHERE state = 'unknown'`);
    await resumeAccount(world.app.ledger, 'main', because);
    await world.finish();
  });

  it('limits itself to one account, and says so', async () => {
    const html = await (await as('viewer')).get('/queue?list=again&advice=all&account=other');
    expect(listOf(html.text)).toContain('0 payments');
    expect(html.text).toContain('Only account <strong>other</strong>');
  });

  it('shows the queues themselves at the foot, and goes on without their server', async () => {
    const html = await queue();
    expect(wordsOf(html)).toMatch(/Queue server \(\w+\) answered in \d+ ms\. Last sweep \d+ \w+ ago\./);
    expect(wordsOf(html)).toContain('deliver 0 0 0 0 0');
    const { look } = world.app.queue;
    world.app.queue.look = () => Promise.reject(new Error('away'));
    expect(wordsOf(await queue())).toContain('does not answer.');
    world.app.queue.look = async (name) => ({
      ...(await look(name)),
      failed: name === 'deliver' ? [{ id: '17', says: 'no space', at: new Date() }] : [],
    });
    const failed = await queue('failed');
    expect(listOf(failed)).toMatch(/17 deliver .*no space/);
    world.app.queue.look = look;
  });
});
