import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';
import { NOT_RUN } from './service-verdict.ts';

/** The longest that a file of `npm test` may take where nothing else runs, in ms. */
const LONGEST_FILE_MS = 10_000;

/** How many files the summary lists. */
const LISTED = 10;

export type FileTime = { path: string; ms: number };

/** Lists the slowest files of a run and what could not run, and fails `npm test` for a file that belongs into `npm run soak`. */
export default class RunSummary implements Reporter {
  private begun: CpuTimes | undefined;

  onTestRunStart(): void {
    this.begun = readCpuTimes();
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: readonly unknown[], reason: TestRunEndReason): void {
    if (reason === 'interrupted') return;
    const timed = modules.map((module) => ({ path: pathOf(module), ms: module.diagnostic().duration }));
    const slowest = timed.toSorted((one, other) => other.ms - one.ms).slice(0, LISTED);
    say('Slowest files (seconds, with hooks):');
    for (const { path, ms } of slowest) say(`${(ms / 1_000).toFixed(1).padStart(8)}  ${path}`);
    for (const sentence of findNotRun(modules)) say(sentence);
    // A run of a few files takes too little processor time to show how busy the machine is.
    if (process.env['npm_lifecycle_event'] !== 'test') return;
    const tooSlow = findTooSlow(timed, slowdownSince(this.begun));
    for (const offence of tooSlow) say(offence);
    if (tooSlow.length > 0) process.exitCode = 1;
  }
}

/**
 * The files that would take too long on an idle machine. The workers of the run and other programs slow each file down, so
 * the limit grows with them.
 * @param slowdown how many times as long as its processor time a busy process of the run took; 1 on an idle machine
 */
export function findTooSlow(files: readonly FileTime[], slowdown: number): string[] {
  const limitMs = LONGEST_FILE_MS * Math.max(1, slowdown);
  return files
    .filter(({ ms }) => ms > limitMs)
    .map(
      ({ path, ms }) =>
        `${path} took ${(ms / 1_000).toFixed(1)} s; a file of npm test may take ${(limitMs / 1_000).toFixed(1)} s. Make it faster, or name it .soak.test.ts.`,
    );
}

/** What was not tried because a program is missing; the tests are named after it (service-verdict.ts). */
function findNotRun(modules: readonly TestModule[]): Set<string> {
  const names = modules.flatMap((module) => Array.from(module.children.allTests('passed'), ({ name }) => name));
  return new Set(names.filter((name) => name.endsWith(NOT_RUN)));
}

type CpuTimes = { ranMs: number; waitedMs: number };

/** How long the main thread ran, and how long it waited for a processor; undefined where only Linux could say it. */
function readCpuTimes(): CpuTimes | undefined {
  try {
    const [ran, waited] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return { ranMs: ran! / 1e6, waitedMs: waited! / 1e6 };
  } catch {
    return undefined;
  }
}

function slowdownSince(begun: CpuTimes | undefined): number {
  const now = readCpuTimes();
  // Where it cannot be measured, nothing is called too slow.
  if (begun === undefined || now === undefined) return Number.POSITIVE_INFINITY;
  const ran = now.ranMs - begun.ranMs;
  return (ran + now.waitedMs - begun.waitedMs) / ran;
}

function pathOf(module: TestModule): string {
  return relative(process.cwd(), module.moduleId);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
