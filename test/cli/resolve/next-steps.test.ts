import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../src/cli/resolve/next-steps.ts';
import type { InDoubt, Neighbour } from '../../../src/ledger/doubt/in-doubt.ts';
import { ACCOUNT, CALLED_AT, foundDoubt } from '../support/found-doubt.ts';

function steps(change: Partial<InDoubt> = {}, dir = '.') {
  return nextSteps(foundDoubt(change), { account: ACCOUNT, calledAt: CALLED_AT, dir });
}

function words(change: Partial<InDoubt> = {}, dir = '.'): string[] {
  return steps(change, dir).map(({ command }) => command.replace(/^.*?(?=--dir|resolve|confirm|refuse)/, ''));
}

function neighbour(batchId: string): Neighbour {
  return { fileId: 'f', batchNo: 1, batchId, submittedAt: CALLED_AT };
}

const LATE = { at: CALLED_AT, reason: 'the service gave it batch id 1002', evidence: { batchId: '1002' } };

describe('nextSteps', () => {
  it('has a line to paste for every way', () => {
    expect(words()).toEqual([
      'resolve g7fhpaqs00000000/2 --adopt BATCH-ID',
      'resolve g7fhpaqs00000000/2 --probe FROM..TO',
      'resolve g7fhpaqs00000000/2 --report report.csv',
      `resolve g7fhpaqs00000000/2 --not-received --evidence '…' --reason WHY`,
      'resolve g7fhpaqs00000000/2 --close-in-doubt --reason WHY',
    ]);
    expect(words({}, '/srv/my pay')[0]).toBe(`--dir '/srv/my pay' resolve g7fhpaqs00000000/2 --adopt BATCH-ID`);
  });

  it('offers the id that came too late, and the range between the neighbours', () => {
    const known = { lateAnswers: [LATE], before: neighbour('1000'), after: neighbour('1010') };
    expect(words(known).slice(0, 2)).toEqual([
      'resolve g7fhpaqs00000000/2 --adopt 1002',
      'resolve g7fhpaqs00000000/2 --probe 1001..1009',
    ]);
    expect(steps(known)[1]!.when).toContain('1000 before it and 1010 after it');
  });

  it('says from when it may be declared not received, and which report to fetch by the time of the service', () => {
    const [, , journal, notReceived] = steps();
    expect(notReceived!.when).toContain('from 2026-06-16 06:00:00 -04:00 on');
    expect(journal!.when).toContain('approved credit card payments');
    expect(journal!.when).toContain('2026-06-15 03:00:00 -07:00 (the time of the service)');
    const batch = { ...foundDoubt().batch, operation: 'ach-charge' } as InDoubt['batch'];
    expect(steps({ batch })[2]!.when).toContain('approved ACH/EFT payments');
  });

  it('sends whoever looks to the second person while a proposal waits', () => {
    const proposal = { proposalNo: 7, action: 'not-received', madeBy: 'operator:ada' };
    expect(words({ proposal })).toEqual(['confirm 7', 'refuse 7 --reason WHY']);
  });
});
