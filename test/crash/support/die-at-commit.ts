/**
 * Loaded into a process before the program: it dies before or after one of its commits to the ledger, given by DIE_AT,
 * such as `commit.after 2`.
 */
import { armCrashPoints } from '../../../src/kernel/crash-point.ts';

const [point, count] = (process.env['DIE_AT'] ?? '').split(' ');
let left = Number(count);

armCrashPoints((name) => {
  if (name !== point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
});
