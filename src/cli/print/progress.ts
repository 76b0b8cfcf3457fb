import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../../../schemas/errors.ts';
import { groupedCount, groupDigits } from '../../kernel/counted.ts';
import { hideCards } from '../../kernel/mask.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { OpenFile } from '../../ledger/overview/overview.ts';
import type { Call } from '../command.ts';
import { withStopSignal } from '../process/stop-signal.ts';

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
      screen.write(`${CLEAR}${[...hideCards(text)].slice(0, (screen.columns || 80) - 1).join('')}`);
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

/** Pause between two texts that are shown on a terminal, in ms. */
const WATCH_MS = 2_000;

/** Writes over the last text, so that nothing flickers: to the corner; each line to its end; the rest below. */
const [CORNER, LINE_END, BELOW] = ['\u001b[H', '\u001b[K', '\u001b[J'];
const CLEAR_ALL = `${CORNER}${BELOW}`;

/**
 * Shows a text over and over on a terminal until Ctrl-C, and leaves the last one there.
 * @param read makes the text anew
 * @throws PipelineError USAGE without a terminal, or with --json
 */
export async function watchText(call: Call, read: () => Promise<string>): Promise<number> {
  const { stdout } = process;
  if (!stdout.isTTY || call.options['json'])
    throw new PipelineError('USAGE', 'watch', 'that needs a terminal and plain text', {
      next: 'A script can run the command with --json every few seconds.',
    });
  await withStopSignal(async (stop) => {
    stdout.write(CLEAR_ALL);
    while (!stop.aborted) {
      const lines = hideCards(await read()).split('\n');
      const room = (stdout.rows || 24) - 1;
      const shown =
        lines.length > room ? [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines`] : lines;
      stdout.write(`${CORNER}${shown.map((line) => `${line}${LINE_END}\n`).join('')}${BELOW}`);
      await sleep(WATCH_MS, undefined, { signal: stop }).catch(() => {});
    }
  });
  return EXIT.ok;
}
