import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { type ReportFile, readReportFile } from '../../../workers/resolve/read-report-file.ts';
import { dayReport, type ReportLine } from '../support/day-report.ts';

const calledAt = new Date('2026-06-15T10:00:00Z');
const ABOUT = { agentCode: 'test88', server: 'NA', operation: 'ach-charge', calledAt } as const;
const BEFORE: ReportLine = { at: new Date('2026-06-15T09:00:00Z') };
const AFTER: ReportLine = { at: new Date('2026-06-15T11:00:00Z') };

function read(text: string | Buffer, about: Partial<Parameters<typeof readReportFile>[1]> = {}): ReportFile | string {
  return readReportFile(Buffer.from(text), { ...ABOUT, ...about });
}

describe('readReportFile', () => {
  it('covers the call when it shows approved payments of the account from before and after it', () => {
    const text = dayReport([BEFORE, AFTER]);
    expect(read(text)).toMatchObject({
      sha256: sha256Of(Buffer.from(text)),
      covers: true,
      coversNot: '',
      oldestAt: BEFORE.at,
      newestAt: AFTER.at,
      lines: [{ outcome: 'accepted' }, { outcome: 'accepted' }],
    });
  });

  it.each<[string, ReportLine[], string]>([
    ['begins after the call', [AFTER], 'from before the call'],
    ['ends before the call', [BEFORE], 'from after the call'],
    ['lists declined payments', [BEFORE, AFTER].map((line) => ({ ...line, result: 'REJ:15' })), 'from before the call'],
    ['lists payments of another kind', [BEFORE, AFTER].map((line) => ({ ...line, kind: 'VISA' })), 'from before'],
    ['does not say of which kind', [BEFORE, AFTER].map((line) => ({ ...line, kind: '' })), 'from before the call'],
  ])('proves nothing by silence when it %s', (_what, lines, words) => {
    const report = read(dayReport(lines));
    expect(report).toMatchObject({ covers: false, coversNot: expect.stringContaining(words) });
  });

  it('proves nothing by silence when it has no column that names the account', () => {
    const text = dayReport([BEFORE, AFTER]).replace(',Agent,', ',Desk,');
    expect(read(text)).toMatchObject({ covers: false, coversNot: 'it does not say of which account it is' });
  });

  it('reads declined lines beside approved ones', () => {
    const text = dayReport([BEFORE, { ...AFTER, result: 'REJ:15' }, { ...AFTER, result: 'REJ:TIMEOUT' }]);
    expect(read(text)).toMatchObject({
      lines: [{ outcome: 'accepted' }, { outcome: 'rejected' }, { outcome: 'unknown' }],
    });
  });

  it.each<[string, string | Buffer, string]>([
    ['of another account', dayReport([BEFORE], 'OTHER1'), 'it lists payments of another account'],
    ['without lines', dayReport([]), 'it has no lines'],
    ['without bytes', '', 'it has no lines'],
    ['that is no text', Buffer.from([0xff, 0x00, 0x01]), 'it is not text'],
    ['of other titles', 'a,b,c\r\n1,2,3\r\n', 'the report has no column'],
    ['with a broken line', `${dayReport([BEFORE])}cut,off\r\n`, 'line 3 of the report is not as its titles say'],
  ])('takes no file %s', (_what, text, words) => {
    expect(read(text)).toEqual(expect.stringContaining(words));
  });

  it('reads what a spreadsheet saved in another character set', () => {
    expect(read(Buffer.from(dayReport([BEFORE]).replace('Ada', 'Zoë'), 'latin1'))).toMatchObject({ covers: false });
  });
});
