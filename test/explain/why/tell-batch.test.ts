import { describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { type NamedPart, stepText } from '../../../schemas/steps.ts';
import { nextForBatch, tellBatch, tellBatchState } from '../../../src/explain/why/tell-batch.ts';
import type { BatchFacts } from '../../../src/ledger/file/read-why.ts';
import type { AuditRow } from '../../../src/ledger/file/search.ts';
import type { BatchRow, FileRow } from '../../../src/ledger/engine/records.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 5, 15, 10, minute));
const file = { file_id: 'g7fhpaqs00000000', name: 'june.csv' } as FileRow;
const batch = {
  file_id: file.file_id,
  batch_no: 2,
  state: 'ready',
  rows: 3,
  cents: 7_500,
  body_sha256: 'ab',
  polls: 4,
  next_poll_at: at(30),
  not_before: null,
} as BatchRow;
const facts: BatchFacts = {
  attempts: [],
  links: [],
  releases: { times: 0, lastAt: null, lastReason: null },
  outcomes: [],
  ahead: 0,
  isBarred: false,
};

function link(move: string, minute: number, more: Partial<AuditRow> = {}): AuditRow {
  return {
    seq: minute,
    at: at(minute),
    actor: 'worker:submit',
    batch_no: 2,
    move,
    from_state: null,
    to_state: null,
    reason: 'attempt 1 begins',
    evidence: {},
    ...more,
  };
}

describe('tellBatch', () => {
  it('tells the attempts with what the service said, in the order in which it happened', () => {
    const told = tellBatch(file, batch, {
      ...facts,
      attempts: [
        {
          attempt: 1,
          worker: 'w',
          host: 'service.test',
          request_bytes: 900,
          started_at: at(1),
          ended_at: null,
          verdict: null,
          evidence: null,
        },
      ],
      links: [
        link('send', 1),
        link('doubt', 2, { reason: 'the connection was reset', evidence: { bytesWritten: 900, nested: {} } }),
        link('late-answer', 3, { reason: 'taken as 77', evidence: { text: 'ok' } }),
        link('absolve', 9, {
          actor: 'operator:ada',
          reason: 'not in the report',
          evidence: { evidence: 'Ann, by phone' },
        }),
      ],
      releases: { times: 2, lastAt: at(5), lastReason: 'nobody answers' },
      outcomes: [{ outcome: 'approved', rows: 3, cents: 7_500 }],
    });
    expect(told.map((sentence) => sentence.text)).toEqual([
      'Batch 2 of june.csv: 3 rows with a total of 75.00; sha256 of its bytes ab.',
      'Attempt 1 begins: 900 bytes to service.test. From this moment the service may have it.',
      'The connection was reset. (bytesWritten 900)',
      'An answer arrived after the verdict: taken as 77. (text ok)',
      'It was put back unsent 2×, the last time because nobody answers.',
      'ada (absolve): not in the report. (evidence Ann, by phone)',
      'Outcomes: 3 rows APPROVED (charged or refunded), 75.00.',
    ]);
  });
});

describe('nextForBatch', () => {
  const key = { fileId: file.file_id, batchNo: 2 };
  const EXPECTED: Record<BatchState, readonly [says: RegExp, ...named: NamedPart[]]> = {
    ready: [/a worker sends it/],
    preparing: [/There is nothing to do/],
    sending: [/There is nothing to do/],
    unknown: [/^Never drop its file again/, { see: 'doubt', ...key }],
    submitted: [
      /asked 4×; the next question is due at 2026-06-15 10:30:00 \+00:00\. To ask now/,
      { action: 'repoll', ...key },
    ],
    result_in: [/There is nothing to do/],
    exception: [/^Both sides/, { see: 'comparison', ...key }, { action: 'repoll', ...key }],
    reconciled: [/^$/],
    refused: [/^Fix the cause/, { action: 'retry', ...key }, { action: 'withdraw', ...key }],
    cancelled: [/^$/],
  };
  it.each(Object.keys(BATCH_STATES) as BatchState[])('of a batch that is %s', (state) => {
    const steps = nextForBatch({ ...batch, state }, facts, 'UTC', false);
    const [says, ...named] = EXPECTED[state];
    expect(steps.map(stepText).join(' ')).toMatch(says);
    expect(steps.flat().filter((part) => typeof part !== 'string')).toEqual(named);
    expect(tellBatchState({ ...batch, state })).toBe(`Batch 2 is ${state}: ${BATCH_STATES[state]}.`);
  });

  it.each([
    ['others go before it', { ahead: 2 }, {}, false, /^2 batches go before it\.$/],
    [
      'it waits after tries',
      {},
      { not_before: at(7) },
      false,
      /was not reached, so it waits until 2026-06-15 10:07:00/,
    ],
    ['its account is held', {}, {}, true, /^$/],
    [
      'its bytes were sent before',
      { isBarred: true, ahead: 2 },
      {},
      true,
      /sent before.*"paydrop cancel g7fhpaqs00000000\/2/,
    ],
  ] as [string, Partial<BatchFacts>, Partial<BatchRow>, boolean, RegExp][])(
    'says why one that is ready waits: %s',
    (_why, more, row, isHeld, expected) => {
      const steps = nextForBatch({ ...batch, ...row }, { ...facts, ...more }, 'UTC', isHeld);
      expect(steps.map(stepText).join(' ')).toMatch(expected);
    },
  );
});
