import { describe, expect, it } from 'vitest';
import type { JournalReading } from '../../workers/resolve/read-journal.ts';
import { nextReportWords } from '../../src/operator/next-report-words.ts';

const REPORT = {
  sha256: 'a',
  oldestAt: null,
  newestAt: null,
  covers: true,
  coversNot: '',
  neverCovers: false,
  lines: 9,
};

function words(counts: Partial<JournalReading['counts']>, report: Partial<JournalReading['report']> = {}): string[] {
  const reading = { counts: { found: 1, absent: 0, ambiguous: 0, ...counts }, report: { ...REPORT, ...report } };
  return nextReportWords(reading as JournalReading, 90 * 60_000);
}

describe('nextReportWords', () => {
  it('asks for a second report where rows are lacking, after the waiting time in whole hours', () => {
    expect(words({ absent: 1 })).toEqual([expect.stringMatching(/^Give a second report .* at least 2 hours after/)]);
  });

  it('says why a report proves nothing, and what to do about rows that cannot be told', () => {
    expect(words({ ambiguous: 1 }, { covers: false, coversNot: 'it begins too late' })).toEqual([
      'What it lacks proves nothing: it begins too late.',
      expect.stringContaining('give the report of the day'),
    ]);
  });

  it('asks for no other report where none can help', () => {
    const report = { covers: false, coversNot: 'the clocks were 120 minutes apart', neverCovers: true };
    expect(words({ absent: 1 }, report)).toEqual([
      'What it lacks proves nothing: the clocks were 120 minutes apart.',
      expect.stringMatching(/^No other report will show it either\. Adopt .* or close it in doubt\.$/),
    ]);
  });

  it('wants nothing when every row is shown', () => {
    expect(words({})).toEqual([]);
  });
});
