import { readFileSync } from 'node:fs';
import { splitStatements, SUBJECTS } from '../../src/ledger/engine/schema.ts';
import { code, mermaid, page, table } from './markdown.ts';

/** A file of schemas/ledger as its page shows it. */
type Subject = {
  name: string;
  about: string;
  tables: Table[];
  references: Reference[];
  views: string[];
  rules: Rule[];
  functions: Rule[];
};
type Reference = readonly [from: string, to: string];
type Table = { name: string; about: string; columns: Column[] };
type Column = { name: string; type: string; mayBeNull: boolean; about: string };
/** A trigger, a constraint by its function, or a function, with the comment above it. */
type Rule = { name: string; about: string };

export function renderLedger(): string {
  const subjects = SUBJECTS.map(readSubject);
  return page(
    '# The ledger’s tables',
    'The database of paydrop, as `schemas/ledger` defines it. Money is integer cents, times are UTC. Only paydrop writes here; a report may read.',
    'The tables by subject; an arrow leads from a table to the one that it refers to. Rows, faults, outcomes and fingerprints belong to their file by `file_no`, without a reference that every row would have to check.',
    draw(subjects),
    ...subjects.flatMap(renderSubject),
  );
}

function renderSubject({ name, about, tables, views, rules, functions }: Subject): string[] {
  const parts = [`## ${name}`, about, `From ${code(`schemas/ledger/${name}.sql`)}.`];
  for (const one of tables) parts.push(`### ${one.name}`, one.about, renderColumns(one));
  if (views.length > 0) parts.push(`Views: ${views.map(code).join(', ')}.`);
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
  return table(
    ['Column', 'Type', 'Meaning'],
    columns.map(({ name, type, mayBeNull, about }) => [code(name), mayBeNull ? `${type}, or null` : type, about]),
  );
}

function draw(subjects: readonly Subject[]): string {
  const boxes = subjects.flatMap(({ name, tables }) => [
    `  subgraph of-${name}["${name}"]`,
    ...tables.map((one) => `    ${one.name}`),
    '  end',
  ]);
  const arrows = subjects.flatMap(({ references }) => references.map(([from, to]) => `  ${from} --> ${to}`));
  return mermaid('graph LR', ...boxes, ...arrows);
}

function readSubject(name: (typeof SUBJECTS)[number]): Subject {
  const text = readFileSync(new URL(`../../schemas/ledger/${name}.sql`, import.meta.url), 'utf8');
  const { tables: kept, functions: made } = splitStatements(text);
  return {
    name,
    about: readComment(/^(?:-- .*\n|--\n)+/.exec(text)?.[0] ?? ''),
    tables: [...kept.matchAll(/^CREATE TABLE (\w+) \(\n([^]*?)\n\)/gm)].map(([, table = '', body = '']) =>
      readTable(table, body, text),
    ),
    references: readReferences(kept),
    views: [...kept.matchAll(/^CREATE VIEW (\w+)/gm)].map(([, view = '']) => view),
    rules: readRules(kept),
    functions: readRules(made),
  };
}

function readTable(name: string, body: string, text: string): Table {
  const columns = body.split('\n').flatMap((line): Column[] => {
    const [, column, rest] = /^ {2}"?([a-z_0-9]+)"? +([^ ].*?),?$/.exec(line) ?? [];
    if (column === undefined || rest === undefined) return [];
    const type = /^(?:double precision|\w+(?:\[\])?)/.exec(rest)![0];
    const isSet = /NOT NULL|PRIMARY KEY|GENERATED/.test(rest) || isInKey(column, body);
    return [{ name: column, type, mayBeNull: !isSet, about: readNote(`COLUMN ${name}."?${column}"?`, text) }];
  });
  return { name, about: readNote(`TABLE ${name}`, text), columns };
}

/** Returns which table refers to which, each pair once, without references of a table to itself. */
function readReferences(text: string): Reference[] {
  const pairs = [...text.matchAll(/^(?:CREATE|ALTER) TABLE (\w+) [^;]*?;/gm)].flatMap(([statement, from = '']) =>
    [...statement.matchAll(/REFERENCES (\w+)/g)].map(([, to = '']) => `${from} ${to}`),
  );
  return [...new Set(pairs)].flatMap((pair): Reference[] => {
    const [from = '', to = ''] = pair.split(' ');
    return from === to ? [] : [[from, to]];
  });
}

function isInKey(column: string, body: string): boolean {
  return /^ {2}PRIMARY KEY \((.*?)\)/m.exec(body)?.[1]?.split(', ').includes(column) ?? false;
}

function readNote(of: string, text: string): string {
  return (new RegExp(`^COMMENT ON ${of} IS\\s+'((?:[^']|'')*)';`, 'm').exec(text)?.[1] ?? '').replaceAll("''", "'");
}

/** Functions with the comment above them. */
function readRules(text: string): Rule[] {
  return [...text.matchAll(/^((?:--.*\n)*)CREATE FUNCTION (\w+)/gm)].map(([, comment = '', name = '']) => ({
    name,
    about: readComment(comment),
  }));
}

function readComment(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^-- ?/, ''))
    .join('\n')
    .split('\n\n')
    .map((part) => part.replaceAll('\n', ' ').trim())
    .filter((part) => part !== '')
    .join('\n\n');
}
