import { describe, expect, it } from 'vitest';
import { handClock } from '../../src/kernel/clock.ts';
import { startHealth } from '../../src/kernel/health.ts';

const START = '2026-06-15T10:00:00.000Z';

describe('startHealth', () => {
  it('knows when it began, and nothing else at first', () => {
    const health = startHealth(handClock(START));
    expect(health).toMatchObject({ begunAt: new Date(START), sweptAt: undefined, isStopping: false });
    expect([...health.listedAt]).toEqual([]);
  });

  it('keeps the last moment of each folder and of the sweep', () => {
    const clock = handClock(START);
    const health = startHealth(clock);
    health.noteListing('drop/a');
    health.noteListing('drop/b');
    clock.advance(1_000);
    health.noteListing('drop/b');
    health.noteSweep();
    const later = new Date('2026-06-15T10:00:01.000Z');
    expect(Object.fromEntries(health.listedAt)).toEqual({ 'drop/a': new Date(START), 'drop/b': later });
    expect(health.sweptAt).toEqual(later);
  });

  it('knows since when the sweep fails, until it succeeds', () => {
    const clock = handClock(START);
    const health = startHealth(clock);
    health.noteTrouble('QUEUE_UNREACHABLE');
    clock.advance(1_000);
    health.noteTrouble('LEDGER_UNREACHABLE');
    expect(health.trouble).toEqual({ since: new Date(START), code: 'LEDGER_UNREACHABLE' });
    health.noteSweep();
    expect(health.trouble).toBeUndefined();
  });

  it('knows since when each transfer fails, until it succeeds', () => {
    const clock = handClock(START);
    const health = startHealth(clock);
    const fault = { account: 'main', everyMs: 1_000 };
    health.noteTransfer('pull:drop/a', fault);
    clock.advance(1_000);
    health.noteTransfer('pull:drop/a', fault);
    health.noteTransfer('push:bank:/out', { ...fault, account: null });
    health.noteTransfer('push:bank:/out');
    expect([...health.brokenTransfers]).toEqual([['pull:drop/a', { ...fault, since: new Date(START) }]]);
  });

  it('says when nothing new is begun', () => {
    const health = startHealth(handClock(START));
    health.noteStop();
    expect(health.isStopping).toBe(true);
  });
});
