import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Call } from '../command.ts';
import { withStopSignal } from '../process/stop-signal.ts';

const PAUSE_MS = 2_000;

/** Writes over the last text, so that nothing flickers: to the corner; each line to its end; the rest below. */
const [CORNER, LINE_END, BELOW] = ['\u001b[H', '\u001b[K', '\u001b[J'];
const CLEAR = `${CORNER}${BELOW}`;

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
    stdout.write(CLEAR);
    while (!stop.aborted) {
      const lines = (await read()).split('\n');
      const room = (stdout.rows || 24) - 1;
      const shown =
        lines.length > room ? [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines`] : lines;
      stdout.write(`${CORNER}${shown.map((line) => `${line}${LINE_END}\n`).join('')}${BELOW}`);
      await sleep(PAUSE_MS, undefined, { signal: stop }).catch(() => {});
    }
  });
  return EXIT.ok;
}
