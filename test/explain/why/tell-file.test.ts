import { describe, expect, it } from 'vitest';
import { FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { stepText } from '../../../schemas/steps.ts';
import { nextForFile, tellFile, tellFileState } from '../../../src/explain/why/tell-file.ts';
import type { FileFacts } from '../../../src/ledger/file/read-why.ts';
import type { ResubmissionRow } from '../../../src/ledger/row/resubmissions.ts';
import type { AuditRow } from '../../../src/ledger/file/search.ts';
import type { FileRow, OutputRow } from '../../../src/ledger/engine/records.ts';
import { capital, ended, outcomesOf, sumOf, whoDid } from '../../../src/explain/why/sentence.ts';

const at = new Date('2026-06-15T10:00:00Z');
const file = {
  file_id: 'g7fhpaqs00000000',
  name: 'june.csv',
  account: 'main',
  folder: 'drop/card',
  layout: 'card',
  state: 'completed',
  bytes: 240,
  sha256: 'ab',
  completeness: 'sidecar',
  valid_rows: 3,
  valid_cents: 7_500,
  invalid_rows: 1,
  reason_code: 'CONTROL_TOTALS',
} as FileRow;
const withheld = { rows: 0, cents: 0, unreadable: 0 };
const facts: FileFacts = { links: [], faults: [], groups: [], outcomes: [], open: [], madeFrom: null, withheld };

function link(move: string, more: Partial<AuditRow> = {}): AuditRow {
  return {
    seq: 1,
    at,
    actor: 'worker:intake',
    batch_no: null,
    move,
    from_state: null,
    to_state: null,
    reason: 'every check passed',
    evidence: {},
    ...more,
  };
}

const told = (links: AuditRow[], more: Partial<FileFacts> = {}) =>
  tellFile(file, { ...facts, ...more, links }).map((sentence) => sentence.text);

describe('tellFile', () => {
  it.each([
    [
      link('claim'),
      'june.csv was taken from drop/card for account main: 240 bytes, sha256 ab. Completeness: confirmed by the control file beside it.',
    ],
    [
      link('accept'),
      'Every check passed: 3 rows with a total of 75.00; 1 row invalid and withheld, layout card, without customer codes, US and UK clients.',
    ],
    [link('hold', { reason: 'it says 9 rows' }), 'It was held: it says 9 rows.'],
    [link('reject', { reason: 'no rows.' }), 'It was refused: no rows.'],
    [link('approve', { actor: 'operator:ada', reason: 'it is right' }), 'ada approved it: it is right.'],
    [link('stop', { actor: 'operator:ada', reason: 'enough' }), 'ada stopped the rest of it: enough.'],
    [
      link('resubmit', { actor: 'operator:ada', reason: 'again', evidence: { rows: 2, name: 'june-again.csv' } }),
      'ada resubmitted 2 rows as june-again.csv: again.',
    ],
    [link('propose', { actor: 'operator:bob', reason: 'let it go' }), 'propose by bob: let it go.'],
  ])('tells %j', (one, expected) => {
    expect(told([one])).toEqual([expected]);
  });

  it('tells what was found at fault with the verdict, and the time of each', () => {
    expect(told([link('hold')], { faults: [{ code: 'AMOUNT_ZERO', faults: 2 }] })[1]).toBe(
      'Faults: the amount is zero 2×.',
    );
    expect(tellFile(file, { ...facts, links: [link('claim')] })[0]!.at).toBe(at);
  });
});

const QUIET = { shown: 'completed', blockedBy: [] } as const;

describe('tellFileState', () => {
  it('says what keeps a file from being sent, also of its batches', () => {
    const says = 'account main is paused by ada: wait';
    const block = { kind: 'paused', account: 'main', says, since: null, fileId: null, batchNo: null } as const;
    const groups = [{ state: 'ready', batches: 2, rows: 2, cents: 50, first: 1 } as const];
    const blocked = { ...file, state: 'accepted', shown: 'blocked', blockedBy: [block] } as const;
    expect(tellFileState(blocked, { ...facts, groups }, [])).toEqual([
      'The file: blocked (its account sends nothing at present).',
      'Nothing is sent: account main is paused by ada: wait.',
      '2 batches: blocked (its account sends nothing at present), 2 rows, 0.50.',
    ]);
  });

  it('says the state, its batches by state, the outcomes and the files', () => {
    const said = tellFileState(
      { ...file, ...QUIET },
      {
        ...facts,
        groups: [
          { state: 'reconciled', batches: 3, rows: 6, cents: 100, first: 1 },
          { state: 'ready', batches: 1, rows: 2, cents: 50, first: 4 },
        ],
        outcomes: [{ outcome: 'approved', rows: 6, cents: 100 }],
      },
      [{ name: 'june.ack.csv' }, { name: 'june.result.csv' }] as OutputRow[],
    );
    expect(said).toEqual([
      'The file: completed (every row has its outcome).',
      '3 batches: reconciled (every row has its outcome), 6 rows, 1.00.',
      'Batch 4: queued (checked and fixed, to be sent next), 2 rows, 0.50.',
      'Outcomes: 6 rows approved (charged or refunded), 1.00.',
      'Output files: june.ack.csv, june.result.csv.',
    ]);
  });
});

describe('nextForFile', () => {
  it.each(Object.keys(FILE_STATES) as FileState[])('of a file that is %s', (state) => {
    const steps = nextForFile({ ...file, state }, facts, [])
      .map(stepText)
      .join(' ');
    const expected: Record<FileState, RegExp> = {
      claimed: /There is nothing to do: a worker checks its rows/,
      held: /Ask the sender which.* "paydrop approve g7fhpaqs00000000 .*"paydrop decline/,
      rejected: /Ask the sender which/,
      accepted: /^$/,
      in_progress: /^$/,
      completed: /^$/,
      cancelled: /^$/,
      partly_cancelled: /^$/,
    };
    expect(steps).toMatch(expected[state]);
  });

  it('does not offer to approve a held file without a row that could be sent', () => {
    const unread = { ...file, state: 'held', reason_code: 'POISON_FILE', valid_rows: 0 } as const;
    expect(nextForFile(unread, { withheld }, [])).toEqual([
      [expect.stringMatching(/cannot be approved.* Then $/), { action: 'decline', fileId: file.file_id }, '.'],
    ]);
  });

  it('names approval and refusal of a held file as data', () => {
    const { file_id: fileId } = file;
    expect(nextForFile({ ...file, state: 'held', reason_code: null }, facts, [])).toEqual([
      ['Then ', { action: 'approve', fileId }, ' or ', { action: 'decline', fileId }, '.'],
    ]);
  });

  it('says of rows that were withheld that they were not paid, where others were', () => {
    const some = { withheld: { rows: 3, cents: 7_500, unreadable: 1 } };
    const said = '3 rows were withheld and not paid: 75.00, 1 amount unreadable.';
    expect(nextForFile(file, some, [])).toEqual([
      [`${said} Correct its .rejects.csv and drop it, unless this was done.`],
    ]);
    expect(tellFileState({ ...file, ...QUIET }, { ...facts, ...some }, [])).toContain(said);
    for (const state of ['rejected', 'held', 'cancelled'] as const)
      expect(
        nextForFile({ ...file, state }, some, [])
          .map(stepText)
          .join(),
      ).not.toContain('withheld');
  });

  it('says of a held file what an approval leaves out, and of others nothing', () => {
    const some = { ...facts, withheld: { rows: 3, cents: 7_500, unreadable: 1 } };
    const said = '3 invalid rows stay back and are not paid if the file is approved: 75.00, 1 amount unreadable.';
    expect(tellFileState({ ...file, ...QUIET, state: 'held' }, some, [])).toContain(said);
    expect(tellFileState({ ...file, ...QUIET, state: 'held' }, facts, []).join()).not.toContain(
      'if the file is approved',
    );
    for (const state of ['completed', 'rejected'] as const)
      expect(tellFileState({ ...file, ...QUIET, state }, some, []).join()).not.toContain('if the file is approved');
  });

  it('names a resubmission that has not come back, and none that has', () => {
    const waiting = { name: 'june-again-1.csv', new_file_id: null, charged: 0 } as ResubmissionRow;
    expect(nextForFile(file, facts, [waiting, { ...waiting, new_file_id: 'x' }])).toEqual([
      ['june-again-1.csv has not been taken from drop/card yet; start the workers if none run.'],
    ]);
    expect(nextForFile(file, facts, [{ ...waiting, charged: 1 }])).toEqual([
      [expect.stringMatching(/^june-again-1\.csv must no longer be dropped: 1 row of it may have been charged\./)],
    ]);
  });
});

describe('the words of a story', () => {
  it('name persons, and call every worker paydrop', () => {
    expect(whoDid('operator:ada')).toBe('ada');
    expect(whoDid('worker:submit')).toBe('paydrop');
  });

  it('count rows and money', () => {
    expect(sumOf(1, 1_000)).toBe('1 row with a total of 10.00');
    expect(sumOf(2, -550)).toBe('2 rows with a total of -5.50');
    expect(
      outcomesOf([
        { outcome: 'approved', rows: 5, cents: 12_500 },
        { outcome: 'declined', rows: 1, cents: 2_500 },
      ]),
    ).toBe('5 rows approved (charged or refunded), 125.00; 1 row declined (refused by the service with a code), 25.00');
  });

  it('end in one full stop and begin with a capital', () => {
    expect([ended('it broke off'), ended('it broke off. '), ended('')]).toEqual([
      'it broke off.',
      'it broke off.',
      '.',
    ]);
    expect(capital('nothing left')).toBe('Nothing left');
  });
});
