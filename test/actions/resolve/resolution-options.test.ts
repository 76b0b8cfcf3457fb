import { describe, expect, it } from 'vitest';
import type { InDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import { resolutionOptions } from '../../../src/actions/resolve/resolution-options.ts';
import { ACCOUNT } from '../../cli/support/found-doubt.ts';
import { CALLED_AT, foundDoubt } from '../../cli/support/found-doubt.ts';

const secondPerson = { refunds: false, overrides: false, resolutions: false };
const account = { ...ACCOUNT, secondPerson };

function says(change: Partial<InDoubt> = {}, context = {}): string[] {
  return resolutionOptions(foundDoubt(change), { account, calledAt: CALLED_AT, ...context }).map((way) =>
    way.says.join(' '),
  );
}

function neighbour(batchId: string) {
  return { fileId: 'f', batchNo: 1, batchId, submittedAt: CALLED_AT };
}

describe('resolutionOptions', () => {
  it('has every way, the safest first', () => {
    const ways = resolutionOptions(foundDoubt(), { account, calledAt: CALLED_AT });
    expect(ways.map(({ action }) => action)).toEqual(['adopt', 'probe', 'journal', 'not-received', 'close-in-doubt']);
  });

  it('offers the id that the service named too late', () => {
    const late = { at: CALLED_AT, reason: 'the service gave it an id', evidence: { batchId: '10 02' } };
    const [adopt] = resolutionOptions(foundDoubt({ lateAnswers: [late] }), { account, calledAt: CALLED_AT });
    expect(adopt!.given).toEqual([{ label: 'Compare with batch id 10 02', filled: { batchId: '10 02' } }]);
    expect(resolutionOptions(foundDoubt(), { account, calledAt: CALLED_AT })[0]!.given).toBeUndefined();
  });

  it('says where to look by the ids around it, or that there are none', () => {
    const [, known] = says({ before: neighbour('1000'), after: neighbour('1010') });
    expect(known).toContain('1000 before it and 1010 after it. Its id would be from 1001 to 1009.');
    expect(says()[1]).toContain('The account has no other batch to compare with');
  });

  it('says which report to fetch, by the time of the service, and from when it may be declared not received', () => {
    const [, , journal, notReceived] = says();
    expect(journal).toContain('approved credit card payments');
    expect(journal).toContain('2026-06-15 03:00:00 -07:00 (the time of the service)');
    expect(notReceived).toContain('This is possible from 2026-06-16 06:00:00 -04:00 on.');
  });

  it('says when a second person is needed, and does without an account that has left the configuration', () => {
    const paired = { account: { ...account, secondPerson: { ...secondPerson, resolutions: true } } };
    expect(says({}, paired).filter((words) => words.includes('Another person'))).toHaveLength(2);
    expect(says().filter((words) => words.includes('Another person'))).toEqual([]);
    const gone = says({}, { account: undefined });
    expect(gone[2]).toContain('from a day before the call');
    expect(gone[3]).not.toContain('This is possible');
  });
});
