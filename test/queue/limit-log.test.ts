import { describe, expect, it } from 'vitest';
import { handClock } from '../../src/kernel/clock.ts';
import { limitLog } from '../../src/queue/answer-within.ts';
import { logIntoLines } from './support/log-lines.ts';

function open() {
  const clock = handClock('2026-06-15T08:00:00Z');
  const { log, lines } = logIntoLines();
  const said = () => lines.map(({ reason, leftOut }) => [reason, leftOut]);
  return { clock, said, report: limitLog(log, clock) };
}

describe('limitLog', () => {
  it('says a reason once in ten seconds and counts the rest', () => {
    const { clock, said, report } = open();
    for (let times = 0; times < 1_000; times += 1) report(new Error('connect ECONNREFUSED'));
    expect(said()).toEqual([['connect ECONNREFUSED', 0]]);
    clock.advance(9_999);
    report(new Error('connect ECONNREFUSED'));
    expect(said()).toHaveLength(1);
    clock.advance(1);
    report(new Error('connect ECONNREFUSED'));
    expect(said()[1]).toEqual(['connect ECONNREFUSED', 1_000]);
  });

  it('says different reasons, but not without end', () => {
    const { said, report } = open();
    for (let job = 0; job < 100; job += 1) report(new Error(`could not renew lock for job ${job}`));
    expect(said()).toHaveLength(5);
  });

  it('has something to say of an error without a message', () => {
    const { said, report } = open();
    report(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
    report(new Error(''));
    expect(said().map(([reason]) => reason)).toEqual(['ECONNREFUSED', 'no reason given']);
  });
});
