import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { progressLine } from '../../../src/cli/print/progress.ts';

const CLEAR = '\r\u001b[2K';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function screen(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text), ...(columns === undefined ? {} : { columns }) };
}

describe('progressLine', () => {
  it('writes over itself for somebody who looks on, and can be cleared once', () => {
    const tty = screen(true);
    const progress = progressLine(tty);
    progress.show('1 row');
    vi.advanceTimersByTime(200);
    progress.show('2 rows');
    progress.clear();
    progress.clear();
    expect(tty.written).toEqual([`${CLEAR}1 row`, `${CLEAR}2 rows`, CLEAR]);
  });

  it('changes ten times a second at most', () => {
    const tty = screen(true);
    const progress = progressLine(tty);
    progress.show('first');
    vi.advanceTimersByTime(99);
    progress.show('too soon');
    vi.advanceTimersByTime(1);
    progress.show('second');
    expect(tty.written).toEqual([`${CLEAR}first`, `${CLEAR}second`]);
  });

  it('never wraps into a second line', () => {
    const tty = screen(true, 10);
    progressLine(tty).show('x'.repeat(50));
    expect(tty.written).toEqual([CLEAR + 'x'.repeat(9)]);
  });

  it('takes 80 columns where the terminal does not know', () => {
    const tty = screen(true, 0);
    progressLine(tty).show('x'.repeat(100));
    expect(tty.written).toEqual([CLEAR + 'x'.repeat(79)]);
  });

  it('says nothing on a pipe', () => {
    const pipe = screen(false);
    const progress = progressLine(pipe);
    progress.show('1 row');
    progress.clear();
    expect(pipe.written).toEqual([]);
  });
});
