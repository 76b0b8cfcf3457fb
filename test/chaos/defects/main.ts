/**
 * `npm run defects`: applies each seeded defect, or those with --only in their names, to a copy of the tree, one at a
 * time. It reports which machines noticed it. The exit status is 1 when one was MISSED.
 */
import { DEFECTS } from './defects.ts';
import { copyTree, passes, simulates, SIMULATION, type Trial, tryDefect } from './try-defect.ts';
import { readOptions } from '../../support/read-options.ts';

const values = readOptions(
  'defects',
  {
    only: { type: 'string' },
    scenarios: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  },
  ['scenarios'],
);
const { only } = values;
const scenarios = Number(values.scenarios);
const wanted = DEFECTS.filter(({ name }) => only === undefined || name.includes(only));
const tree = await copyTree();
const trials: Trial[] = [];
try {
  const red = await findRedMachines();
  for (const defect of wanted) {
    const trial = await tryDefect(defect, tree.folder, { scenarios, red });
    trials.push(trial);
    say(describe(trial));
  }
} finally {
  await tree.remove();
}
const missed = trials.filter(({ caughtBy }) => caughtBy.length === 0);
const caught = `${trials.length - missed.length} of ${trials.length} caught`;
print(values.json ? JSON.stringify({ kind: 'defects', scenarios, trials }, null, 2) : caught);
process.exitCode = missed.length === 0 ? 0 : 1;

/** Returns machines that fail without a defect. They would seem to notice all, so they are reported and not used. */
async function findRedMachines(): Promise<Set<string>> {
  const red = new Set<string>();
  const note = (machine: string) => {
    red.add(machine);
    say(`${machine} fails without a defect and is not asked; fix that first`);
  };
  if (scenarios > 0 && !(await simulates(tree.folder, scenarios))) note(SIMULATION);
  for (const file of new Set(wanted.flatMap((defect) => defect.caughtBy))) {
    if (!(await passes(tree.folder, file))) note(file);
  }
  return red;
}

function describe({ name, caughtBy, seconds }: Trial): string {
  const verdict = caughtBy.length === 0 ? 'MISSED' : 'caught';
  return `${verdict}  ${name} (${seconds} s)${caughtBy.length === 0 ? '' : ` by ${caughtBy.join(' and ')}`}`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
