/** A terminal whose size nobody knows says that it has 0 columns. */
type Screen = { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };

/** Between two changes of the line, in ms: faster than anybody reads, slow enough to cost nothing. */
const PAUSE_MS = 100;

const CLEAR = '\r\u001b[2K';

export type ProgressLine = { show(text: string): void; clear(): void };

/**
 * One line on standard error that is written over, for somebody who is looking. On a pipe nothing is shown, so that
 * logs and data stay clean. Clear it before anything else is printed.
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
