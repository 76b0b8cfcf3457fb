/**
 * One line on standard error that is written over, for somebody who is looking. On a pipe nothing is shown, so that
 * logs and data stay clean.
 */
export function progressLine(): { show(text: string): void; end(): void } {
  if (!process.stderr.isTTY) return { show: () => {}, end: () => {} };
  let last = 0;
  return {
    show: (text) => {
      const now = performance.now();
      if (now - last < 100) return;
      last = now;
      process.stderr.write(`\r\u001b[2K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
    },
    end: () => process.stderr.write('\r\u001b[2K'),
  };
}
