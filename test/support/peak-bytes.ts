import { peakMemoryOf } from '../../bench/measure/peak-memory.ts';

/** The highest memory that this process has had; where the system does not tell, what Node does. */
export function peakBytes(): number {
  const peakMb = peakMemoryOf('self');
  return peakMb === null ? process.resourceUsage().maxRSS * 1024 : peakMb * 1e6;
}
