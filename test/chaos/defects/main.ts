/**
 * `npm run defects`: applies each seeded defect, or those with one of --only in their names, to a copy of the tree, --jobs
 * at a time. It reports which machines noticed it. The exit status is 1 when one was MISSED.
 */
import { DEFECTS } from './defects.ts';
import { copyTree, passes, simulates, SIMULATION, type Trial, tryDefect } from './try-defect.ts';
import { readOptions } from '../../support/read-options.ts';

const values = readOptions(
  'defects',
  {
    only: { type: 'string' },
    scenarios: { type: 'string', default: '20' },
    jobs: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
  ['scenarios'],
);
const { only } = values;
const scenarios = Number(values.scenarios);
const wanted = DEFECTS.filter(({ name }) => only === undefined || only.split(',').some((part) => name.includes(part)));
const trees = await Promise.all(Array.from({ length: Number(values.jobs) }, copyTree));
const trials: Trial[] = [];
try {
  const red = await findRedMachines();
  await workThrough(wanted, async (defect, tree) => {
    const trial = await tryDefect(defect, tree, { scenarios, red });
    trials.push(trial);
    say(describe(trial));
  });
} finally {
  for (const tree of trees) await tree.remove();
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
  if (scenarios > 0 && !(await simulates(trees[0]!.folder, scenarios))) note(SIMULATION);
  await workThrough([...new Set(wanted.flatMap((defect) => defect.caughtBy))], async (file, tree) => {
    if (!(await passes(tree, file))) note(file);
  });
  return red;
}

/** Works on one thing after the other in each copy of the tree, until none is left. */
async function workThrough<T>(things: readonly T[], work: (thing: T, tree: string) => Promise<void>): Promise<void> {
  const left = things.values();
  const workAlong = async (tree: string) => {
    for (const thing of left) await work(thing, tree);
  };
  await Promise.all(trees.map(({ folder }) => workAlong(folder)));
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
