import { describe, expect, it } from 'vitest';
import { Config, WEEKDAYS, type WindowConfig } from '../../../../schemas/config.ts';
import { resolveSettings } from '../../../../src/config/config.ts';
import { describeWindow, Rules } from '../../../../src/web/pages/account.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';

function say(account: Record<string, unknown> = {}, folder: Record<string, unknown> = {}): string {
  const main = { server: 'NA', country: 'CA', currency: 'CAD', agentCode: 'TEST88', password: 'a secret' };
  const folders = [{ path: 'drop/card', account: 'main', operation: 'card', ...folder }];
  const config = Config.parse({ accounts: { main: { ...main, ...account } }, folders });
  const settings = resolveSettings(config, '/srv/paydrop', {});
  return wordsOf(draw(Rules, { account: settings.accounts.get('main')!, folders: settings.folders }));
}

describe('Rules', () => {
  it('says what holds where nothing was set', () => {
    const words = say();
    expect(words).toContain('Sends at any time');
    expect(words).toContain('Largest row no limit');
    expect(words).toContain('Two persons for nothing');
    expect(words).toContain('Originals are kept 400 days');
    expect(words).toContain('drop/card card as soon as complete');
  });

  it('says each limit in money of the account, and those of a folder where they are tighter', () => {
    const words = say(
      { limits: { rowAmount: 5_000, fileRows: 20_000, fileTotal: 1_000_000.5, dayTotal: 2_000_000 } },
      { limits: { rowAmount: 100, fileRows: 10 } },
    );
    expect(words).toContain('Largest row 5,000.00 CAD');
    expect(words).toContain('Most rows of a file 20,000');
    expect(words).toContain('Largest file 1,000,000.50 CAD');
    expect(words).toContain('Most on one day 2,000,000.00 CAD');
    expect(words).toMatch(/row 100\.00 CAD 10 rows$/);
  });

  it('says who must agree and when something is expected', () => {
    const secondPerson = { refunds: true, overrides: true, resolutions: true };
    const words = say({ secondPerson, retention: { days: 0 } }, { expect: { by: '18:00', days: ['mon', 'fri'] } });
    expect(words).toContain('every refund file, letting a held file go, saying what became of a batch in doubt');
    expect(words).toContain('by 18:00, mon fri');
    expect(words).toContain('Originals are kept for ever');
  });

  it('shows no secret', () => {
    expect(say()).not.toMatch(/TEST88|a secret/);
  });
});

const window: WindowConfig = { from: '09:00', to: '17:00', days: [...WEEKDAYS], holidays: [] };

describe('describeWindow', () => {
  it.each([
    [undefined, 'at any time'],
    [window, '09:00 to 17:00, every day, in Europe/London'],
    [{ ...window, days: ['mon', 'tue'] }, '09:00 to 17:00, mon tue, in Europe/London'],
    [{ ...window, from: '00:00', to: '00:00' }, 'the whole day, every day, in Europe/London'],
    [{ ...window, holidays: ['2026-12-25'] }, '09:00 to 17:00, every day, in Europe/London, not on 2026-12-25'],
  ] as [WindowConfig | undefined, string][])('of %j says "%s"', (of, words) => {
    expect(describeWindow(of, 'Europe/London')).toBe(words);
  });
});
