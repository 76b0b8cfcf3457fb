/** `npm run compare`: checks made-up files by bytes and by the reference. */
import { compareFile } from './compare-file.ts';
import { readOptions } from '../../support/read-options.ts';

const values = readOptions('compare', {
  rows: { type: 'string', default: '1000000' },
  seed: { type: 'string', default: '1' },
});
const [rows, seed] = [values.rows, values.seed].map(Number);

const LARGEST_ROWS = 20_000;
const PROGRESS_MS = 10_000;

const started = performance.now();
const sum = { files: 0, rows: 0, valid: 0, different: 0 };
let told = started;
for (let next = seed!; sum.rows < rows!; next += 1) {
  const compared = await compareFile(next, LARGEST_ROWS);
  sum.files += 1;
  sum.rows += compared.rows;
  sum.valid += compared.valid;
  if (compared.difference !== undefined) {
    sum.different += 1;
    process.stdout.write(`Seed ${next}: ${compared.difference}\n`);
  }
  if (performance.now() - told < PROGRESS_MS) continue;
  told = performance.now();
  process.stderr.write(`${describeSum()}; the next seed is ${next + 1}\n`);
}
process.stdout.write(`${describeSum()}, ${Math.round((performance.now() - started) / 1_000)} s\n`);
process.exitCode = sum.different > 0 ? 1 : 0;

function describeSum(): string {
  return `${sum.rows} rows of ${sum.files} files, ${sum.valid} of them valid: ${sum.different} files differ`;
}
