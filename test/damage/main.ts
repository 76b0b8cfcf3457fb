/** `npm run damage`: reads damaged payment files; play-file.ts has the checks. */
import { playFile } from './play-file.ts';
import { readOptions } from '../support/read-options.ts';

const values = readOptions('damage', {
  files: { type: 'string', default: '5000' },
  seed: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
});
const [files, seed] = [values.files, values.seed].map(Number);

const started = performance.now();
const counts: Record<string, Record<string, number>> = { verdicts: {}, damages: {} };
const failures: { seed: number; complaints: readonly string[] }[] = [];
let rows = 0;
for (let n = 0; n < files!; n += 1) {
  const played = await playFile(seed! + n);
  rows += played.rows;
  count('verdicts', played.verdict);
  for (const damage of played.damages) count('damages', damage);
  if (played.complaints.length === 0) continue;
  failures.push({ seed: played.seed, complaints: played.complaints });
  process.stderr.write(`Seed ${played.seed}, ${played.damages.join(', ')}: ${played.complaints.join('; ')}\n`);
}
const seconds = Math.round((performance.now() - started) / 1_000);
const report = {
  kind: 'damage',
  seed,
  seconds,
  files,
  rows,
  failed: failures.length,
  ...counts,
  failures: failures.slice(0, 20),
};
process.stdout.write(
  values.json
    ? `${JSON.stringify(report, null, 2)}\n`
    : `${files} damaged files, ${rows} rows, ${seconds} s: ${failures.length} failed\n`,
);
process.exitCode = failures.length > 0 ? 1 : 0;

function count(topic: string, name: string): void {
  counts[topic]![name] = (counts[topic]![name] ?? 0) + 1;
}
