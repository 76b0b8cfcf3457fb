import { describe, expect, it } from 'vitest';
import type { JournalReading } from '../../src/actions/resolve/read-journal.ts';
import { nextReportWords } from '../../src/actions/journal-action.ts';

const REPORT = {
  sha256: 'a',
  oldestAt: null,
  newestAt: null,
  covers: true,
  coversNot: '',
  neverCovers: false,
  lines: 9,
};

function words(
  counts: Partial<JournalReading['counts']>,
  report: Partial<JournalReading['report']> = {},
  waitMs = 90 * 60_000,
): string[] {
  const reading = { counts: { found: 1, absent: 0, ambiguous: 0, ...counts }, report: { ...REPORT, ...report } };
  return nextReportWords(reading as JournalReading, waitMs);
}

describe('nextReportWords', () => {
  it.each([
    [90 * 60_000, '1 hour 30 minutes'],
    [60_001, '2 minutes'],
    [0, '1 minute'],
  ])('asks for a second report where rows are lacking, after a wait of %i ms', (waitMs, wait) => {
    const [said] = words({ absent: 1 }, {}, waitMs);
    expect(said).toMatch(new RegExp(`^Give a second report .* at least ${wait} after`));
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
