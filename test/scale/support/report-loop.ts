/**
 * Loaded into a measured process before the program (`node --import`): writes the longest standstill of its event loop
 * in each second to the file named by SCALE_LOOP_FILE, as a line with the time and the ms.
 */
import { appendFile } from 'node:fs';

/** How often the loop is sampled, in ms. */
const SAMPLE_MS = 10;

const file = process.env['SCALE_LOOP_FILE'];
if (file !== undefined) {
  let [at, worked, longest, written] = [performance.now(), process.cpuUsage(), 0, performance.now()];
  setInterval(() => {
    const used = process.cpuUsage(worked);
    const lateMs = performance.now() - at - SAMPLE_MS;
    // A busy machine gives the processor to others meanwhile, which is no standstill of this process.
    longest = Math.max(longest, Math.min(lateMs, (used.user + used.system) / 1_000));
    at = performance.now();
    worked = process.cpuUsage();
    if (at - written < 1_000) return;
    appendFile(file, `${Date.now()} ${Math.round(longest)}\n`, () => {});
    [longest, written] = [0, at];
  }, SAMPLE_MS).unref();
}
