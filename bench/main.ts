/** `npm run bench`: see README.md in this folder. */
import { parseArgs } from 'node:util';
import { guardRatios, quickRatios, readCommittedRatios, writeCommittedRatios } from './guard/guard-ratios.ts';
import { measureParts } from './measure-parts.ts';
import { PARTS, QUICK_PARTS } from './parts/parts.ts';
import { makePlan } from './plan.ts';
import { describeRun } from './report/describe-run.ts';
import { keepRecord, publishRecord } from './report/publish.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    guard: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    rows: { type: 'string' },
    'ledger-rows': { type: 'string' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
if (values.guard && !values.quick) throw new Error('--guard compares what --quick measures: give both');
const parts = values.quick ? QUICK_PARTS : PARTS;
const chosen = parts.filter(({ name }) => values.only?.includes(name) ?? true);
if (chosen.length === 0) throw new Error(`--only takes ${parts.map(({ name }) => name).join(', ')}`);
const plan = makePlan({
  isQuick: values.quick,
  rounds: numberOf(values.rounds),
  rows: numberOf(values.rows),
  ledgerRows: numberOf(values['ledger-rows']),
});
const say = (text: string) => process.stderr.write(`${text}\n`);

const { run, failed } = await measureParts(chosen, plan, say);
process.stdout.write(values.json ? `${JSON.stringify(run, null, 1)}\n` : describeRun(run));
if (values.quick) await quickEnd();
else if (values.write) {
  await keepRecord(run);
  await publishRecord();
}

if (failed.length > 0) {
  say(`could not be measured: ${failed.join(', ')}`);
  process.exitCode = 1;
}

async function quickEnd(): Promise<void> {
  const ratios = quickRatios(run.measurements);
  for (const [name, value] of Object.entries(ratios)) say(`${name}: ${value.toFixed(2)} times as fast`);
  if (values.write) await writeCommittedRatios(ratios);
  if (!values.guard) return;
  const again = async () => (await measureParts(chosen, plan, say)).run.measurements;
  const fallen = await guardRatios(run.measurements, await readCommittedRatios(), again);
  for (const sentence of fallen) say(sentence);
  if (fallen.length > 0) process.exitCode = 1;
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`"${text}" is no whole number above 0`);
  return number;
}
