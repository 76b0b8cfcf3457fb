import { code, mermaid, page, table } from './markdown.ts';
import { type Column, readSubjects, type Subject, type Table, type Trigger } from './read-tables.ts';

export function renderLedger(): string {
  const subjects = readSubjects();
  return page(
    '# The ledger’s tables',
    'The database of paydrop, as `schemas/ledger` and the `tables.sql` of features define it. Money is integer cents, times are UTC. Only paydrop writes here; a report may read. `schemas/ledger/README.md` says how to change it, and what its words mean.',
    '**What stands where.** The schema `paydrop` holds the tables and the rules that they keep by themselves: constraints, indexes, and triggers with their functions. There is one of each, and a migration changes it. The functions that the program calls stand behind the line `-- == Functions ==` of a file. Each version of paydrop makes its own, in a schema named by the hash of their text, and another version drops them when no process uses them any more. So no table, view, index, constraint or trigger may use such a function. A session looks for names in `paydrop`, then in the functions of its version. It keeps the plans of a function, so they must fit tables of any size.',
    '**Order.** paydrop runs the files in the order of this page. Each refers only to tables of the files before it, so a reference or trigger that needs a later table stands in the file of that table. The functions behind the line are made last.',
    'The tables by subject; an arrow leads from a table to the one that it refers to. Rows, faults, outcomes and fingerprints belong to their file by `file_no`, without a reference that every row would have to check.',
    draw(subjects),
    ...subjects.flatMap((subject) => renderSubject(subject, subjects)),
  );
}

function renderSubject(subject: Subject, all: readonly Subject[]): string[] {
  const { name, path, about, tables, views, rules, functions } = subject;
  const parts = [`## ${name}`, linked(about), `From ${code(path)}.`];
  for (const one of tables) parts.push(`### ${one.name}`, linked(one.about), renderColumns(one), renderKeys(one, all));
  for (const one of views)
    parts.push(
      `### ${one.name} (view)`,
      one.about,
      table(
        ['Column', 'Meaning'],
        one.columns.map((column) => [code(column.name), linked(column.about)]),
      ),
    );
  for (const [title, listed] of [
    ['Rules', rules],
    ['Functions', functions],
  ] as const)
    if (listed.length > 0)
      parts.push(
        `### ${title} (${name})`,
        table(
          ['Name', 'What it does'],
          listed.map((rule) => [code(rule.name), rule.about]),
        ),
      );
  return parts;
}

function renderColumns({ columns }: Table): string {
  const typeOf = ({ type, mayBeNull }: Column) => (mayBeNull ? `${type}, or null` : type);
  return table(
    ['Column', 'Type', 'Meaning'],
    columns.map((column) => [code(column.name), typeOf(column), linked(column.about)]),
  );
}

/** Lists what the database itself keeps of a table, wherever it is defined. */
function renderKeys({ name, primary, unique, checks }: Table, all: readonly Subject[]): string {
  const ofTable = <Item>(read: (subject: Subject) => readonly Item[], is: (item: Item) => boolean) =>
    all.flatMap((subject) => read(subject).flatMap((item) => (is(item) ? [{ item, from: subject.name }] : [])));
  const indexes = ofTable(
    ({ indexes: listed }) => listed,
    (index) => index.table === name,
  );
  const references = ofTable(
    ({ references: listed }) => listed,
    (reference) => reference.from === name,
  );
  const triggers = ofTable(
    ({ triggers: listed }) => listed,
    (trigger) => trigger.table === name,
  );
  return [
    ...(primary ? [`Primary key: ${code(primary)}`] : []),
    ...unique.map((columns) => `Unique: ${code(columns)}`),
    ...indexes.map(({ item }) => `Unique, ${code(item.name)}: ${code(item.over)}`),
    ...references.map(({ item }) => `Refers by ${code(item.columns)} to ${code(item.to + item.rest)}`),
    ...checks.map((check) => `Check: ${code(check)}`),
    ...triggers.map(({ item, from }) =>
      [
        `Trigger ${code(item.name)} of [${from}](#${from}), ${code(item.when)}, runs ${code(item.runs)}.`,
        item.about || firstSentence(ruleOf(item, all)),
      ].join(' '),
    ),
  ]
    .map((line) => `- ${line.trim()}`)
    .join('\n');
}

/** Returns what the comment above the function of a trigger says. */
function ruleOf({ runs }: Trigger, all: readonly Subject[]): string {
  const [name] = runs.split('(');
  return all.flatMap(({ rules }) => rules).find((rule) => rule.name === name)?.about ?? '';
}

function firstSentence(text: string): string {
  return /^.*?\.(?= [A-Z]|$)/.exec(text)?.[0] ?? text;
}

/** Files of schemas that comments name, and their pages. */
const PAGE_OF = { alarms: 'alarms.md', errors: 'errors.md', lifecycle: 'lifecycle.md' } as const;

function linked(text: string): string {
  return text.replace(
    /schemas\/(alarms|errors|lifecycle)\.ts/g,
    (name, file: keyof typeof PAGE_OF) => `[${name}](${PAGE_OF[file]})`,
  );
}

function draw(subjects: readonly Subject[]): string {
  const boxes = subjects.flatMap(({ name, tables }) => [
    `  subgraph of-${name}["${name}"]`,
    ...tables.map((one) => `    ${one.name}`),
    '  end',
  ]);
  const arrows = subjects.flatMap(({ references }) => references.map(({ from, to }) => `  ${from} --> ${to}`));
  return mermaid('graph LR', ...boxes, ...new Set(arrows));
}
