import { groupedCount, groupDigits } from '../../kernel/counted.ts';
import type { OpenFile } from '../../ledger/overview/overview.ts';

/** A terminal of unknown size reports 0 columns. */
type Screen = { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };

/** Pause between two updates, in ms: faster than a user reads, slow enough to cost nothing. */
const PAUSE_MS = 100;

const CLEAR = '\r\u001b[2K';

export type ProgressLine = { show(text: string): void; clear(): void };

/**
 * Shows one line on standard error that is overwritten. On a pipe it shows nothing, so that logs and data stay clean.
 * Clear it before printing anything else.
 */
export function progressLine(screen: Screen = process.stderr): ProgressLine {
  if (!screen.isTTY) return { show: () => {}, clear: () => {} };
  let shownAt = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show: (text) => {
      const now = performance.now();
      if (now - shownAt < PAUSE_MS) return;
      shownAt = now;
      isShown = true;
      screen.write(`${CLEAR}${[...text].slice(0, (screen.columns || 80) - 1).join('')}`);
    },
    clear: () => {
      if (isShown) screen.write(CLEAR);
      isShown = false;
    },
  };
}

/** Says how far the reading of a large file has come; undefined in its first seconds. */
export function describeReading(file: Pick<OpenFile, 'checked_rows' | 'expected_rows'>): string | undefined {
  const { checked_rows: checked, expected_rows: expected } = file;
  if (checked === null || expected === null) return undefined;
  return `checked ${groupDigits(String(checked))} of about ${groupedCount(expected, 'row')}`;
}
