import { relative } from 'node:path';
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';
import { counted } from '../../src/kernel/counted.ts';
import { describeMachine, WORK_VARIABLE } from './fixed-work.ts';
import { NOT_RUN } from './service-verdict.ts';

/** The largest share of the total time that one file of `npm test` may take. */
const LARGEST_SHARE = 0.06;

/** How many files the summary lists. */
const LISTED = 10;

export type FileTime = { path: string; ms: number };

/** Lists the slowest files, the speed of the machine and what could not run, and fails `npm test` for a file that belongs in `npm run soak`. */
export default class RunSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: readonly unknown[], reason: TestRunEndReason): void {
    if (reason === 'interrupted') return;
    const timed = modules.map((module) => ({ path: pathOf(module), ms: module.diagnostic().duration }));
    const slowest = timed.toSorted((one, other) => other.ms - one.ms).slice(0, LISTED);
    say('Slowest files (seconds, with hooks):');
    for (const { path, ms } of slowest) say(`${(ms / 1_000).toFixed(1).padStart(8)}  ${path}`);
    const workS = process.env[WORK_VARIABLE];
    if (workS !== undefined) say(describeMachine(Number(workS)));
    for (const sentence of findNotRun(modules)) say(sentence);
    if (!isWhole()) return;
    for (const sentence of findSkipped(modules)) say(sentence);
    if (process.env['npm_lifecycle_event'] !== 'test') return;
    const tooSlow = findTooSlow(timed);
    for (const offence of tooSlow) say(offence);
    // Other programs slow some files down more than others, so only an otherwise idle machine can judge.
    if (tooSlow.length > 0 && process.env['CI'] !== undefined) process.exitCode = 1;
  }
}

/** Returns files that take too large a share of the run. A busy machine changes the share less than the time itself. */
export function findTooSlow(files: readonly FileTime[]): string[] {
  const limitMs = LARGEST_SHARE * files.reduce((sum, { ms }) => sum + ms, 0);
  return files
    .filter(({ ms }) => ms > limitMs)
    .map(
      ({ path, ms }) =>
        `${path} took ${(ms / 1_000).toFixed(1)} s; a file of npm test may take ${LARGEST_SHARE * 100} % of the time of all, here ${(limitMs / 1_000).toFixed(1)} s. Make it faster, or name it .soak.test.ts.`,
    );
}

/** Returns what was not tried because a program is missing; the tests are named after it (service-verdict.ts). */
function findNotRun(modules: readonly TestModule[]): Set<string> {
  const names = modules.flatMap((module) => Array.from(module.children.allTests('passed'), ({ name }) => name));
  return new Set(names.filter((name) => name.endsWith(NOT_RUN)));
}

/** Returns what was skipped, such as tests for an ordinary user where root runs them. */
function findSkipped(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) => {
    const skipped = Array.from(module.children.allTests('skipped')).length;
    return skipped > 0 ? [`${pathOf(module)}: ${counted(skipped, 'test')} skipped`] : [];
  });
}

/** Returns whether all files ran. Otherwise most tests are skipped, and each file takes a large share of the time. */
function isWhole(): boolean {
  return ['test', 'soak'].includes(process.env['npm_lifecycle_event'] ?? '');
}

function pathOf(module: TestModule): string {
  return relative(process.cwd(), module.moduleId);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
