import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILES, splitStatements } from '../../src/ledger/engine/schema.ts';

/** A file of statements, read from its text: the page is made without a database. */
export type Subject = {
  /** Of a feature its name, else that of the file. */
  readonly name: string;
  /** From the root of the repository. */
  readonly path: string;
  readonly about: string;
  readonly tables: readonly Table[];
  readonly views: readonly View[];
  readonly references: readonly Reference[];
  readonly triggers: readonly Trigger[];
  readonly indexes: readonly UniqueIndex[];
  /** Functions of triggers, with the comment above them. */
  readonly rules: readonly Rule[];
  readonly functions: readonly Rule[];
};
export type Table = { readonly name: string; readonly about: string; readonly columns: readonly Column[] } & Keys;
export type View = { readonly name: string; readonly about: string; readonly columns: readonly ViewColumn[] };
type ViewColumn = { readonly name: string; readonly about: string };
export type Column = ViewColumn & { readonly type: string; readonly mayBeNull: boolean };
/** Keys and checks as SQL has them: lists of columns, and conditions. */
type Keys = { readonly primary: string; readonly unique: readonly string[]; readonly checks: readonly string[] };
export type Reference = { readonly from: string; readonly columns: string; readonly to: string; readonly rest: string };
export type UniqueIndex = { readonly name: string; readonly table: string; readonly over: string };
export type Trigger = {
  readonly name: string;
  readonly table: string;
  readonly when: string;
  readonly runs: string;
  readonly about: string;
};
export type Rule = { readonly name: string; readonly about: string };

export function readSubjects(): Subject[] {
  return FILES.map((file) => readSubject(pathOf(file), readFileSync(file, 'utf8')));
}

/** Returns a path from the root of the repository. */
function pathOf(file: URL): string {
  return relative(fileURLToPath(new URL('../..', import.meta.url)), fileURLToPath(file));
}

function readSubject(path: string, text: string): Subject {
  const { tables: kept, functions: made } = splitStatements(text);
  const [folder = '', file = ''] = path.split('/').slice(-2);
  return {
    name: file === 'tables.sql' ? folder : file.replace('.sql', ''),
    path,
    about: readComment(/^(?:-- .*\n|--\n)+/.exec(text)?.[0] ?? ''),
    tables: [...kept.matchAll(TABLE)].map(([, table = '', body = '']) => readTable(table, body, text)),
    views: [...kept.matchAll(/^CREATE VIEW (\w+)/gm)].map(([, view = '']) => readView(view, text)),
    references: readReferences(kept),
    triggers: readTriggers(kept),
    indexes: [...kept.matchAll(/^CREATE UNIQUE INDEX (\w+) ON (\w+) ([^;]*);/gm)].map(
      ([, index = '', table = '', over = '']) => ({ name: index, table, over: inOneLine(over) }),
    ),
    rules: readRules(kept),
    functions: readRules(made),
  };
}

const TABLE = /^CREATE (?:UNLOGGED )?TABLE (\w+) \(\n([^]*?)\n\)/gm;

function readTable(name: string, body: string, text: string): Table {
  const parts = splitAtCommas(body);
  const columns = parts.filter((part) => !CONSTRAINT.test(part)).map((part) => /^"?(\w+)"? +(.*)$/.exec(part)!);
  const primary = matchParts(parts, /^PRIMARY KEY \((.*?)\)/)[0];
  const primaryColumn = columns.find(([, , rest = '']) => rest.includes('PRIMARY KEY'))?.[1];
  return {
    name,
    about: readNote(`TABLE ${name}`, text),
    columns: columns.map(([, column = '', rest = '']) => ({
      name: column,
      type: /^(?:double precision|\w+(?:\[\])?)/.exec(rest)![0],
      mayBeNull: !(/NOT NULL|PRIMARY KEY|GENERATED/.test(rest) || primary?.split(', ').includes(column)),
      about: readNote(`COLUMN ${name}."?${column}"?`, text),
    })),
    primary: primary ?? primaryColumn ?? '',
    unique: [
      ...columns.flatMap(([, column = '', rest = '']) => (/\bUNIQUE\b/.test(rest) ? [column] : [])),
      ...matchParts(parts, /^UNIQUE \((.*)\)/),
    ],
    checks: parts.flatMap(readChecks),
  };
}

/** Begins a part of a table that is no column. */
const CONSTRAINT = /^(?:PRIMARY KEY|UNIQUE|FOREIGN KEY|CHECK|CONSTRAINT)\b/;

function matchParts(parts: readonly string[], pattern: RegExp): string[] {
  return parts.flatMap((part) => pattern.exec(part)?.[1] ?? []);
}

/** Splits the body of a table into columns and constraints, each in one line. */
function splitAtCommas(body: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const sign of inOneLine(body)) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === ',' && depth === 0) parts.push('');
    else parts.push(parts.pop()! + sign);
  }
  return parts.map((part) => part.trim());
}

/** Returns the conditions of a part, each without its outer parentheses. */
function readChecks(part: string): string[] {
  return [...part.matchAll(/\bCHECK \(/g)].map(({ index }) => {
    const from = index + 'CHECK ('.length;
    let depth = 1;
    let end = from;
    for (; depth > 0; end += 1) depth += Number(part[end] === '(') - Number(part[end] === ')');
    return part.slice(from, end - 1);
  });
}

function readView(name: string, text: string): View {
  const notes = new RegExp(`^COMMENT ON COLUMN ${name}\\."?(\\w+)"? IS`, 'gm');
  return {
    name,
    about: readNote(`VIEW ${name}`, text),
    columns: [...text.matchAll(notes)].map(([, column = '']) => ({
      name: column,
      about: readNote(`COLUMN ${name}."?${column}"?`, text),
    })),
  };
}

function readReferences(text: string): Reference[] {
  return [...text.matchAll(/^(?:CREATE|ALTER) TABLE (\w+) ([^;]*?);/gm)].flatMap(([, from = '', body = '']) =>
    [
      ...body.matchAll(/(?:FOREIGN KEY \(([\w, ]+)\)|"?(\w+)"? +[^,\n]*?) REFERENCES (\w+)((?: ON DELETE CASCADE)?)/g),
    ].map(([, several, one = '', to = '', rest = '']) => ({ from, columns: several ?? one, to, rest })),
  );
}

function readTriggers(text: string): Trigger[] {
  const triggers =
    /^((?:--.*\n)*)CREATE TRIGGER (\w+)\s+([^;]*?)\s+ON (\w+)\s+([^;]*?)\s*EXECUTE FUNCTION (\w+\([^)]*\));/gm;
  return [...text.matchAll(triggers)].map(
    ([, above = '', name = '', event = '', table = '', rest = '', runs = '']) => ({
      name,
      table,
      when: inOneLine(`${event} ${rest}`).replace(/REFERENCING \w+ TABLE AS \w+ /, ''),
      runs,
      about: readComment(above),
    }),
  );
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
    .map((part) => inOneLine(part))
    .filter((part) => part !== '')
    .join('\n\n');
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
