import { peakMemoryOf } from '../../bench/measure/peak-memory.ts';

/** Returns the peak memory of this process, from Node where the system does not report it. */
export function peakBytes(): number {
  const peakMb = peakMemoryOf('self');
  return peakMb === null ? process.resourceUsage().maxRSS * 1024 : peakMb * 1e6;
}
