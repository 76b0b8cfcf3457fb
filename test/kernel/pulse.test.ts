import { describe, expect, it } from 'vitest';
import { handClock } from '../../src/kernel/clock.ts';
import { startPulse } from '../../src/kernel/pulse.ts';

const START = '2026-06-15T10:00:00.000Z';

describe('startPulse', () => {
  it('knows when it began, and nothing else at first', () => {
    const pulse = startPulse(handClock(START));
    expect(pulse).toMatchObject({ begunAt: new Date(START), sweptAt: undefined, isStopping: false });
    expect([...pulse.listedAt]).toEqual([]);
  });

  it('keeps the last moment of each folder and of the sweep', () => {
    const clock = handClock(START);
    const pulse = startPulse(clock);
    pulse.noteListing('drop/a');
    pulse.noteListing('drop/b');
    clock.advance(1_000);
    pulse.noteListing('drop/b');
    pulse.noteSweep();
    const later = new Date('2026-06-15T10:00:01.000Z');
    expect(Object.fromEntries(pulse.listedAt)).toEqual({ 'drop/a': new Date(START), 'drop/b': later });
    expect(pulse.sweptAt).toEqual(later);
  });

  it('knows since when the sweep fails, until it succeeds', () => {
    const clock = handClock(START);
    const pulse = startPulse(clock);
    pulse.noteTrouble('QUEUE_UNREACHABLE');
    clock.advance(1_000);
    pulse.noteTrouble('LEDGER_UNREACHABLE');
    expect(pulse.trouble).toEqual({ since: new Date(START), code: 'LEDGER_UNREACHABLE' });
    pulse.noteSweep();
    expect(pulse.trouble).toBeUndefined();
  });

  it('knows since when each transfer fails, until it succeeds', () => {
    const clock = handClock(START);
    const pulse = startPulse(clock);
    const fault = { account: 'main', everyMs: 1_000 };
    pulse.noteTransfer('pull:drop/a', fault);
    clock.advance(1_000);
    pulse.noteTransfer('pull:drop/a', fault);
    pulse.noteTransfer('push:bank:/out', { ...fault, account: null });
    pulse.noteTransfer('push:bank:/out');
    expect([...pulse.brokenTransfers]).toEqual([['pull:drop/a', { ...fault, since: new Date(START) }]]);
  });

  it('says when nothing new is begun', () => {
    const pulse = startPulse(handClock(START));
    pulse.noteStop();
    expect(pulse.isStopping).toBe(true);
  });
});
