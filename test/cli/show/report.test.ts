import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { userInfo } from 'node:os';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { dayInZone } from '../../../src/calendar/zone-time.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { packageRoot } from '../../../src/cli/package-version.ts';
import { forTerminal } from '../../../src/cli/show/docs.ts';
import { expecting, runHere } from '../support/run-here.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';

describe('report', () => {
  const world = openedForTests(openCliWorld);
  let day = '';
  beforeAll(async () => {
    await world.drop(
      'card',
      'monday.csv',
      lines([...upTo(2).map((n) => cardRow(n)), cardRow(3, { amount: '2500.00' })]),
    );
    await world.finish();
    const { rows } = await world.app.ledger.pool.query<{ at: Date }>('SELECT accepted_at AS at FROM file');
    day = dayInZone(rows[0]!.at, 'UTC');
  });

  describe('report', () => {
    it('balances the day of each account', async () => {
      const out = await world.says('report', '--day', day);
      expect(out).toContain(`Account main, ${day} (UTC)`);
      expect(out).toMatch(/Accepted, 1 file +3 +2550\.00/);
      expect(out).toMatch(/Difference +0 +0\.00/);
      expect(out).toContain('Nothing is open.');
    });

    it('is one JSON value, or CSV, on request', async () => {
      for (const words of [['--json'], ['--format', 'json']]) {
        const [report] = JSON.parse((await world.paydrop('report', '--day', day, ...words)).out);
        expect(report).toMatchObject({
          account: 'main',
          accepted: { rows: 3 },
          difference: { rows: 0, total: '0.00' },
        });
      }
      const { out } = await world.paydrop('report', '--day', day, '--format', 'csv', '--account', 'main');
      const rows = out.trimEnd().split('\r\n');
      expect(rows[0]).toBe('Day,Account,Kind,Item,Rows,Total');
      expect(rows).toContain(`${day},main,FINAL,APPROVED,2,50.00`);
      expect(rows).toContain(`${day},main,DIFFERENCE,,0,0.00`);
    });

    it('writes a file, and never over another', async () => {
      const path = join(world.root, 'day.csv');
      const { status, out } = await world.paydrop('report', '--day', day, '--format', 'csv', '--out', path);
      expect({ status, out }).toEqual({ status: 0, out: '' });
      expect(await readFile(path, 'utf8')).toContain('BROUGHT_FORWARD');
      const { status: again, err } = await world.paydrop('report', '--day', day, '--out', path);
      expect(again).not.toBe(0);
      expect(err).toContain('exists with other content');
      expect(await readFile(path, 'utf8')).toContain('BROUGHT_FORWARD');
    });

    it('is today when no day is given, empty for a day on which nothing was', async () => {
      expect((await world.paydrop('report')).out).toContain('Account main, ');
      const out = await world.says('report', '--day', '2001-02-03');
      expect(out).toMatch(/Accepted, 0 files +0 +0\.00/);
    });

    it.each([
      ['a day that is none', ['--day', '2026-02-30'], /it is no day in UTC/],
      ['a format that is none', ['--format', 'pdf'], /must be text, json or csv/],
      ['an account that is none', ['--account', 'nobody'], /Accounts: main\./],
    ])('%s: status 1 and a sentence', async (_what, words, sentence) => {
      expect(await world.refusal('report', ...words)).toMatch(sentence);
    });

    it('says a difference with 5', async () => {
      await world.app.ledger.pool.query('UPDATE batch_outcome SET cents = cents - 1 WHERE rows = 2');
      const { status, out } = await world.paydrop('report', '--day', day);
      expect(status).toBe(5);
      expect(out).toMatch(/Difference +0 +0\.01/);
    });
  });

  type Link = { seq: number; actor: string; move: string };
  const show = async (...words: string[]) =>
    JSON.parse((await world.paydrop('audit', 'show', '--json', ...words)).out) as Link[];

  describe('audit', () => {
    beforeAll(async () => {
      await world.drop('card', 'june.csv', lines([cardRow(1)]));
      await world.finish();
      await world.paydrop('account', 'pause', 'main', '--reason', 'wait');
    });

    describe('audit show', () => {
      it('lists who did what, the oldest first', async () => {
        const links = await show();
        expect(links.slice(0, 3)).toMatchObject([
          { seq: 1, move: 'bind-account' },
          { seq: 2, move: 'open-ledger' },
          { seq: 3, move: 'claim' },
        ]);
        expect(links.at(-1)).toMatchObject({ actor: `operator:${userInfo().username}`, move: 'pause-account' });
        const { out } = await world.paydrop('audit', 'show');
        expect(out).toMatch(/^ +3 +\d{4}-.*Z +worker:watch +.{16} +claim -> claimed/m);
      });

      it('takes only what is wanted', async () => {
        expect((await show('--actor', 'operator:')).map((link) => link.move)).toEqual(['pause-account']);
        expect((await show('--file', 'june.csv')).map((link) => link.move)).not.toContain('pause-account');
        expect(await show('--since', '2099-01-01')).toEqual([]);
        expect((await show('--since', '2020-01-01T00:00:00Z')).length).toBe((await show()).length);
        expect(await show('--limit', '1')).toHaveLength(1);
        expect((await world.paydrop('audit', 'show', '--since', '2099-01-01')).out).toBe('No link matches.\n');
      });

      it.each([
        ['--since', 'yesterday'],
        ['--limit', 'all'],
        ['--file', 'nobody.csv'],
      ])('says what is wrong with %s %s', async (flag, value) => {
        expect(await world.paydrop('audit', 'show', flag, value)).toMatchObject({ status: 1, out: '' });
      });
    });

    it('audit verify says that the chain is whole, and finds a link that was altered', async () => {
      await sweep(world.app);
      const whole = await world.paydrop('audit', 'verify');
      expect(whole).toMatchObject({ status: 0, err: '' });
      expect(whole.out).toMatch(
        /^The audit trail is complete: \d+ links in \d+ chains, the hash of their ends is [0-9a-f]{64}\.\nThe last of \d+ signed roots? is link \d+, of [\d-]{10}; its hash is [0-9a-f]{64}\.\n(From link \d+ on, nothing is signed yet|It covers every link before it)[^\n]*\n$/,
      );
      await forceSql(world.app, `UPDATE audit SET reason = 'something else' WHERE seq = 2`);
      const broken = await world.paydrop('audit', 'verify', '--json');
      expect(broken.status).toBe(5);
      expect(JSON.parse(broken.out)).toMatchObject({ whole: false, brokenAt: 2 });
      expect((await world.paydrop('audit', 'verify')).out).toContain('broken at link 2');
    });
  });
});

describe('docs', () => {
  const { says, refusal } = expecting((...words) => runHere(words));
  const DOCS = join(packageRoot(), 'docs');

  describe('docs', () => {
    it('lists every page with its title, and the decisions as one', async () => {
      const out = await says('docs');
      for (const folder of ['', 'reference'])
        for (const name of readdirSync(join(DOCS, folder)).filter((one) => one.endsWith('.md')))
          expect(out).toMatch(new RegExp(`^${name.slice(0, -3)} +\\S`, 'm'));
      expect(out).toMatch(/^decisions +Decisions$/m);
      expect(out).not.toContain('money-is-integer-cents');
      expect(JSON.parse(await says('docs', '--json'))).toContainEqual({ topic: 'security', title: 'Security' });
    });

    it.each([
      ['operating', 'operating.md'],
      ['errors', 'reference/errors.md'],
      ['reference/errors.md', 'reference/errors.md'],
      ['Sandbox', 'sandbox.md'],
      ['decisions', 'decisions/README.md'],
      ['money-is-integer-cents', 'decisions/money-is-integer-cents.md'],
    ])('%s prints %s as it is where there is no terminal', async (topic, path) => {
      expect(await says('docs', topic)).toBe(`${readFileSync(join(DOCS, path), 'utf8')}\n`);
    });

    it('guesses what was meant, and quotes no number', async () => {
      expect(await refusal('docs', 'operatng')).toContain('(did you mean "operating"?). "paydrop docs" lists all.');
      expect(await refusal('docs', CARD)).not.toContain(CARD);
    });
  });

  it('forTerminal shows headings in bold and links as texts, and leaves code alone', () => {
    const text = '# One\n\nSee [a\npage](b.md#c), ![x](y.svg).\n\n```sh\n# a comment [x](y)\n```\n\n## Two\n';
    const shown = forTerminal(text, (style, words) => `<${style}>${words}</>`);
    expect(shown).toBe('<bold>One</>\n\nSee a\npage, x.\n\n```sh\n# a comment [x](y)\n```\n\n<bold>Two</>\n');
  });
});
