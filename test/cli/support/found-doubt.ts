import type { InDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';

export const CALLED_AT = new Date('2026-06-15T10:00:00.000Z');

/** A batch in doubt as the ledger describes it. */
export function foundDoubt(change: Partial<InDoubt> = {}): InDoubt {
  return {
    batch: {
      file_id: 'g7fhpaqs00000000',
      batch_no: 2,
      account: 'main',
      operation: 'card',
      state: 'unknown',
      state_at: CALLED_AT,
      reason: 'the connection was reset',
      attempt: 1,
      rows: 3,
      cents: 7_500,
    } as BatchRow,
    file: { file_id: 'g7fhpaqs00000000', name: 'monday.csv', account: 'main', operation: 'card', layout: 'card' },
    attempts: [
      {
        attempt: 1,
        host: 'service.test',
        request_bytes: 900,
        started_at: CALLED_AT,
        ended_at: CALLED_AT,
        verdict: 'unknown',
        evidence: { bytesWritten: 900, bytesRead: 0 },
        resolution: null,
      },
    ],
    lateAnswers: [],
    reports: [],
    before: undefined,
    after: undefined,
    proposal: undefined,
    ...change,
  };
}

export const ACCOUNT = { server: 'NA', resolveWaitMs: 86_400_000, timeZone: 'America/Toronto' } as const;
