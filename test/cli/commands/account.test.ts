import { appendFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { dayReport } from '../../workers/support/day-report.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

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
  ])('stop %s for a run to come, and let it go on', async (who, named) => {
    const { out, status } = await world.paydrop('account', 'pause', who, '--reason', 'amounts look wrong');
    expect({ out, status }).toEqual({ out: `Paused: ${named}. No new submission starts.\n`, status: 0 });
    expect((await world.paydrop('account', 'pause', who, '--reason', 'again')).out).toBe(
      `${named.replace(/^a/, 'A')} ${who === '--all' ? 'were' : 'was'} paused before.\n`,
    );
    const name = `${named.replace(' ', '-')}.csv`;
    await world.drop('ach-charge', name, lines(upTo(2).map((n) => achRow(n, { invoice: `${name}-${n}` }))));
    await world.finish();
    expect(world.sandbox.books().filter((row) => row.invoice.startsWith(name))).toEqual([]);
    const listed = (await world.paydrop('account', 'list')).out;
    expect(listed).toMatch(/^main +paused +1 +0/m);
    expect(listed).toContain(`paused by ${me} at `);
    const resumed = await world.paydrop('account', 'resume', who, '--reason', 'they are right');
    expect(resumed).toEqual({ status: 0, out: `Resumed: ${named}.\n`, err: '' });
    await world.finish();
    expect(world.sandbox.books().filter((row) => row.invoice.startsWith(name))).toHaveLength(2);
  });

  it('say what still holds the account after a resume', async () => {
    await world.paydrop('account', 'pause', '--all', '--reason', 'wait');
    const { out } = await world.paydrop('account', 'resume', 'main', '--reason', 'go on');
    expect(out).toContain('Nothing had stopped account main.\nStill held, main: All accounts were paused by');
    await world.paydrop('account', 'resume', '--all', '--reason', 'go on');
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
    expect(await world.paydrop('account', 'resume', 'main', '--reason', 'go on')).toMatchObject({ status: 0, err: '' });
    expect(JSON.parse((await world.paydrop('account', 'forgotten', 'main', '--json')).out)).toMatchObject([
      { fileId: 'zzzzzzzzzzzzzzzz', acknowledgedBy: me },
    ]);
  });

  it('want an account that is known', async () => {
    expect(await world.paydrop('account', 'forgotten', 'nobody')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('account', 'acknowledge', 'nobody', '--reason', 'x')).toMatchObject({ status: 1 });
  });
});
