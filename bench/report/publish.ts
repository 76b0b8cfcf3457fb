import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { BenchRun } from '../measure/record.ts';
import { drawPlots } from './draw-plots.ts';
import { renderPerformance } from './render-performance.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const RECORD = new URL('performance.json', DOCS);

export async function readRecord(): Promise<BenchRun> {
  return BenchRun.parse(JSON.parse(await readFile(RECORD, 'utf8')));
}

/** Merges a run into the record, docs/performance.json. Parts that it did not measure stay as they were. */
export async function keepRecord(run: BenchRun): Promise<void> {
  const before = await readRecord().catch(() => undefined);
  await writeFile(RECORD, `${JSON.stringify(before ? mergeRuns(before, run) : run)}\n`);
}

export function mergeRuns(before: BenchRun, run: BenchRun): BenchRun {
  const measured = new Set(run.measurements.map(({ part }) => part));
  const kept = before.measurements.filter(({ part }) => !measured.has(part));
  return { ...run, measurements: [...kept, ...run.measurements] };
}

/** Writes docs/performance.md and its plots from the record. */
export async function publishRecord(): Promise<void> {
  const run = await readRecord();
  await mkdir(new URL('performance/', DOCS), { recursive: true });
  for (const [name, plot] of Object.entries(drawPlots(run)))
    await writeFile(new URL(`performance/${name}`, DOCS), plot);
  await writeFile(new URL('performance.md', DOCS), renderPerformance(run));
}
