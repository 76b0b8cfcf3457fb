import { describe, expect, it } from 'vitest';
import { seenBatchIds } from '../../src/explain/seen-batch-ids.ts';
import { CALLED_AT, foundDoubt } from '../cli/support/found-doubt.ts';

const LATE = { at: CALLED_AT, reason: 'the service gave it batch id 1002', evidence: { batchId: '1002' } };

describe('seenBatchIds', () => {
  it('finds them in late answers and in answers that broke, but not those that were disowned', () => {
    const [attempt] = foundDoubt().attempts;
    const broken = { ...attempt!, evidence: { answerText: 'BATCHID 1003: <?xml' } };
    const disowned = { ...LATE, evidence: { disownedBatchId: '1003' } };
    expect(seenBatchIds(foundDoubt({ attempts: [broken], lateAnswers: [LATE, LATE] }))).toEqual(['1002', '1003']);
    expect(seenBatchIds(foundDoubt({ attempts: [broken], lateAnswers: [disowned] }))).toEqual([]);
    expect(seenBatchIds(foundDoubt())).toEqual([]);
  });
});
