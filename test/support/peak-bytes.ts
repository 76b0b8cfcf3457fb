import { readFileSync } from 'node:fs';

/**
 * The highest memory that this process has had. Linux counts the memory of the process that started this one into what Node
 * tells, so its own file comes first.
 */
export function peakBytes(): number {
  const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(readStatus()) ?? [];
  return Number(peakKb ?? process.resourceUsage().maxRSS) * 1024;
}

function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
