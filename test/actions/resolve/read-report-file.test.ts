import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { type ReportFile, readReportFile } from '../../../src/actions/resolve/read-report-file.ts';
import { dayReport, type ReportLine } from '../../workers/support/day-report.ts';

const ABOUT = { agentCode: 'test88', server: 'NA', operation: 'ach-charge' } as const;
const BEFORE: ReportLine = { at: new Date('2026-06-15T09:00:00Z') };
const AFTER: ReportLine = { at: new Date('2026-06-15T11:00:00Z') };

function read(text: string | Buffer, about: Partial<Parameters<typeof readReportFile>[1]> = {}): ReportFile | string {
  return readReportFile(Buffer.from(text), { ...ABOUT, ...about });
}

describe('readReportFile', () => {
  it('tells the approved payments of the kind that is asked about', () => {
    const text = dayReport([BEFORE, AFTER, { ...AFTER, result: 'REJ:15' }, { ...AFTER, kind: 'VISA' }]);
    const report = read(text) as ReportFile;
    expect(report).toMatchObject({ sha256: sha256Of(Buffer.from(text)), namesAccount: true });
    expect(report.approved).toEqual(report.lines.slice(0, 2));
    expect(read(dayReport([{ ...AFTER, kind: '' }]))).toMatchObject({ approved: [] });
  });

  it('says whether it has a column that names the account', () => {
    const text = dayReport([BEFORE, AFTER]).replace(',Agent,', ',ResolutionContext,');
    expect(read(text)).toMatchObject({ namesAccount: false });
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
    expect(read(Buffer.from(dayReport([BEFORE]).replace('Ada', 'Zoë'), 'latin1'))).toMatchObject({
      lines: [{ outcome: 'accepted' }],
    });
  });
});
