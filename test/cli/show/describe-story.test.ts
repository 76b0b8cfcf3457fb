import { describe, expect, it } from 'vitest';
import { describeStory } from '../../../src/cli/show/show.ts';
import type { FileStory } from '../../../src/explain/read-story.ts';

const AT = new Date('2026-06-15T13:30:00Z');
const NOTHING = { rows: 0, cents: 0 };

function story(part: { [Key in keyof FileStory]?: unknown } = {}): FileStory {
  const file = {
    file_id: 'g7fhpaqsf429w7ye',
    name: 'monday.csv',
    account: 'main',
    operation: 'card',
    state: 'rejected',
    state_at: AT,
    reason_code: 'EMPTY',
    reason: 'the file has no bytes',
  };
  return { file, batches: [], outcomes: {}, open: NOTHING, outputs: [], audit: [], held: [], ...part } as FileStory;
}

describe('describeStory', () => {
  it('says of a refused file why and what to do, and shows no empty table', () => {
    expect(describeStory(story(), 'America/New_York').split('\n')).toEqual([
      'monday.csv',
      'file g7fhpaqsf429w7ye, account main, card, rejected since 2026-06-15 09:30:00 -04:00',
      'the file has no bytes. Export the file again; this one was not written.',
    ]);
  });

  it('says when a file is sent next that waits for the window of its account', () => {
    const waiting = story({ file: { ...story().file, state: 'accepted', reason: null } });
    expect(describeStory(waiting, 'America/New_York', new Date('2026-06-16T00:00:00Z'))).toContain(
      '\n\nNext send at 2026-06-15 20:00:00 -04:00: the window of account main opens then.',
    );
    expect(describeStory(waiting, 'America/New_York')).not.toContain('Next send');
  });

  it('says every reason of a held file, when there is more than the one above', () => {
    const reason = (code: 'SAME_ROWS' | 'APPROVAL_DUE') => ({ code, count: 1, line: 0, detail: null });
    const both = describeStory(story({ held: [reason('SAME_ROWS'), reason('APPROVAL_DUE')] }), 'UTC');
    expect(both).toMatch(/\n\nHeld because\n {2}SAME_ROWS: .+\n {2}APPROVAL_DUE: /);
    expect(describeStory(story({ held: [reason('SAME_ROWS')] }), 'UTC')).not.toContain('Held because');
  });

  it('has tables of outcomes, batches, outputs and moves, times in the zone of the account', () => {
    const link = { at: AT, actor: 'worker:watch', batch_no: null, move: 'claim', to_state: 'claimed', reason: 'taken' };
    const text = describeStory(
      story({
        outcomes: { invalid: { rows: 1, cents: 0 }, approved: { rows: 20, cents: 141_700 } },
        open: { rows: 2, cents: 500 },
        batches: [
          { batch_no: 1, state: 'reconciled', batch_id: '1000001', attempt: 1, rows: 20, cents: 141_700, reason: null },
        ],
        outputs: [{ kind: 'result', name: 'monday__g7fhpaqs.result.csv', rows: 21 }],
        audit: [link, { ...link, move: 'output', to_state: null, batch_no: 1 }],
      }),
      'Europe/London',
    );
    for (const line of [
      'APPROVED    20  1417.00  charged or refunded',
      'INVALID      1     0.00  withheld, it has faults',
      'none yet     2     5.00',
      '    1  reconciled  1000001         1    20  1417.00',
      'result  monday__g7fhpaqs.result.csv    21',
      '2026-06-15 14:30:00 +01:00  worker:watch         claim -> claimed  taken',
      '2026-06-15 14:30:00 +01:00  worker:watch  1      output            taken',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text.indexOf('APPROVED')).toBeLessThan(text.indexOf('INVALID'));
  });
});
