import { readFile, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, platform } from 'node:os';
import { PublishedRun, Report } from './reliability/reports.ts';
import { renderReliability } from './reliability/render-reliability.ts';

/**
 * `npm run reliability [-- <report.json> …]`: makes docs/reliability.json of the reports, when some are given, and
 * docs/reliability.md of it.
 */
const record = new URL('../docs/reliability.json', import.meta.url);
const page = new URL('../docs/reliability.md', import.meta.url);

const paths = process.argv.slice(2);
if (paths.length > 0) await writeFile(record, `${JSON.stringify(await gather(paths), null, 1)}\n`);
await writeFile(page, renderReliability(PublishedRun.parse(JSON.parse(await readFile(record, 'utf8')))));
console.log('docs/reliability.md');

async function gather(files: readonly string[]): Promise<PublishedRun> {
  const reports = [];
  for (const path of files) reports.push(Report.parse(JSON.parse(await readFile(path, 'utf8'))));
  const machine = `${availableParallelism()} cores (${cpus()[0]!.model}), ${platform()} ${arch()}, Node ${process.version}`;
  return { day: new Date().toISOString().slice(0, 10), machine, reports };
}
