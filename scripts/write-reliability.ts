import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, platform } from 'node:os';
import { Published, type PublishedRun, Report } from './reliability/reports.ts';
import { drawHours } from './reliability/render-hours.ts';
import { renderReliability } from './reliability/render-reliability.ts';

/**
 * `npm run reliability [-- <report.json> …]`: adds the given reports to docs/reliability.json and writes
 * docs/reliability.md. The reports must belong to the commit that is checked out.
 */
const record = new URL('../docs/reliability.json', import.meta.url);
const page = new URL('../docs/reliability.md', import.meta.url);

const paths = process.argv.slice(2);
const published = Published.parse(JSON.parse(await readFile(record, 'utf8')));
if (paths.length > 0) {
  published.runs.push(await gather(paths));
  await writeFile(record, `${JSON.stringify(published)}\n`);
}
await writeFile(page, renderReliability(published));
const pictures = new URL('../docs/reliability/', import.meta.url);
await mkdir(pictures, { recursive: true });
for (const [name, picture] of Object.entries(drawHours(published.runs)))
  await writeFile(new URL(name, pictures), picture);
console.log('docs/reliability.md');

async function gather(files: readonly string[]): Promise<PublishedRun> {
  const reports = [];
  for (const path of files) reports.push(Report.parse(JSON.parse(await readFile(path, 'utf8'))));
  const machine = `${availableParallelism()} cores (${cpus()[0]!.model}), ${platform()} ${arch()}, Node ${process.version}`;
  const commit = execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' }).trim();
  return { day: new Date().toISOString().slice(0, 10), commit, machine, reports };
}
