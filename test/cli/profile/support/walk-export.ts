import { outcomeOfLabel } from '../../../../schemas/lifecycle.ts';
import { SHOWN_OUTCOMES } from '../../../../schemas/shown.ts';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { EXPORT_LINES } from '../../../../scripts/samples/export-lines.ts';
import type { ExportSample } from '../../../../scripts/samples/export-samples.ts';
import { loadSettings, type Settings } from '../../../../src/config/config.ts';
import { type Answers, askedBy, openFile, type Proposal, questionsOf } from '../../../../src/csv/suggest/questions.ts';
import { parseProfile, profileText } from '../../../../src/csv/profile/profile-text.ts';
import { formatCents } from '../../../../src/kernel/money.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { expecting, type Ran } from '../../support/run-here.ts';

export const EXPORTS = fileURLToPath(new URL('../../../../samples/exports/', import.meta.url));

const SETTINGS: Settings = loadSettings(EXPORTS, {});

/** Looks at an export as `profile suggest` does for its folder. */
export async function openExport({ name }: ExportSample): Promise<Proposal> {
  const { account: accountName, operation } = SETTINGS.folders.find(({ id }) => id === `drop/${name}`)!;
  const account = SETTINGS.accounts.get(accountName)!;
  const place = { operation, account };
  return openFile(await readFile(join(EXPORTS, `${name}.csv`)), { place, now: systemClock.now(), known: [] });
}

/** Answers every question: as the table of the samples says, else as suggested. */
export function answerAll(proposal: Proposal, { answers: known }: ExportSample): Answers {
  let answers: Answers = {};
  for (let open = questionsOf(proposal, answers); open[0]; open = questionsOf(proposal, answers)) {
    const [{ id, preselected }] = open as [(typeof open)[0]];
    const given = known[id] ?? preselected;
    if (given === undefined) throw new Error(`${id} has neither a suggestion nor an answer`);
    answers = { ...answers, [id]: given };
  }
  return answers;
}

/** Returns what the table answers, as a person reads it: what the question is about, and the words of the answer. */
export function answersShown(proposal: Proposal, sample: ExportSample): (readonly [about: string, label: string])[] {
  const asked = askedBy(proposal, answerAll(proposal, sample));
  return Object.entries(sample.answers).map(([id, value]) => {
    const { about, options = [] } = asked.find((question) => question.id === id)!;
    const { label = value } = options.find((option) => option.value === value) ?? {};
    return [about, label.replace(/, such as .*/, '')];
  });
}

type Paydrop = (...words: string[]) => Promise<Ran>;

/** Takes an export from `profile suggest` to its drop, with the figures of the accounting system. */
export async function walkToDrop(root: string, paydrop: Paydrop, sample: ExportSample): Promise<void> {
  const { name, rows, total } = sample;
  const [file, folder] = [join(EXPORTS, `${name}.csv`), `drop/${name}`];
  const [answers, text] = [join(root, `${name}.json`), join(root, `${name}.yaml`)];
  const { says } = expecting(paydrop);
  await writeFile(answers, JSON.stringify(answerAll(await openExport(sample), sample)));
  await says('profile', 'suggest', file, '--folder', folder, '--answers', answers, '--out', text);
  await allowOldDates(text, folder);
  expect(await says('profile', 'check', text, '--folder', folder)).toBe('No faults.\n');
  await says('profile', 'import', text, '--reason', 'a new export');
  const figures = ['--rows', String(rows), '--total', total];
  await says('profile', 'confirm', name, '--sample', file, ...figures, '--reason', 'agrees');
  await copyFile(file, join(root, folder, `${name}.csv`));
}

/** The samples keep their dates while the tests grow old. */
export async function allowOldDates(path: string, folder: string): Promise<void> {
  const { operation, account } = SETTINGS.folders.find(({ id }) => id === folder)!;
  const parsed = parseProfile(await readFile(path, 'utf8'), { operation, account: SETTINGS.accounts.get(account)! });
  if (!('profile' in parsed)) throw new Error(JSON.stringify(parsed.faults));
  const { check, ...rest } = parsed.profile;
  await writeFile(path, profileText({ ...rest, check: { ...check, dates: { back: 36_500, ahead: 366 } } }));
}

/** Checks that the result has the sender's titles and cells first, and one outcome for each payment. */
export async function expectResult(root: string, sample: ExportSample) {
  const { name, rows, total, outcomes } = sample;
  const outputs = await readdir(join(root, 'out'));
  const output = outputs.find((one) => one.startsWith(`${name}__`) && one.endsWith('.result.csv'));
  const text = await readFile(join(root, 'out', output!), 'utf8');
  const [titles, ...results] = parse(text, { bom: true }) as [string[], ...string[][]];
  const width = titles.indexOf('Amount (paydrop)') - 1;
  const exported = exportedCells(sample);
  const untitled = exported[0]!.map((_, place) => `Column ${place + 1}`);
  expect([...exported, untitled]).toContainEqual(titles.slice(1, width + 1));
  for (const [line, ...cells] of results)
    expect(cells.slice(0, width).map(unmasked)).toEqual(
      exported[Number(line) - 1]!.map((cell, place) => (cells[place]!.includes('*') ? '' : cell)),
    );
  expect(new Set(results.map(([line]) => line)).size).toBe(rows);
  expect(sumOf(results.map((cells) => cells[width + 1]!))).toBe(total);
  expect(countedOutcomes(results.map((cells) => cells[width + 2]!))).toBe(outcomes);
  expect(text).not.toMatch(/(?:\d[ -]?){12}/);
  return { titles, results };
}

/** Returns the cells of each line of an export, as another reader of CSV reads them. */
export function exportedCells({ name }: ExportSample): string[][] {
  const lines = EXPORT_LINES[name].map((line) => line.replace(/^\ufeff/, ''));
  const delimiter = [';', '\t', ','].find((mark) => lines.at(-1)!.includes(mark))!;
  return lines.map((line) => parse(line, { delimiter })[0]!);
}

function unmasked(cell: string): string {
  return cell.includes('*') ? '' : cell;
}

/** Adds decimal texts. */
export function sumOf(amounts: readonly string[]): string {
  return formatCents(amounts.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0));
}

/** Writes `6 approved, 1 declined`. */
export function countedOutcomes(outcomes: readonly string[]): string {
  const words = outcomes.map((outcome) => {
    const name = outcomeOfLabel(outcome);
    return (name === undefined ? outcome : SHOWN_OUTCOMES[name].word).toLowerCase();
  });
  return [...new Set(words)]
    .toSorted()
    .map((word) => `${words.filter((one) => one === word).length} ${word}`)
    .join(', ');
}

/** Which cell of a line has the number of a bank account. Card numbers are known by their length. */
const ACCOUNT_CELLS: Partial<Record<ExportSample['name'], number>> = { sage: 9, bank: 3 };

/** Requires that the last four digits of all cards and accounts are on the pages, and no five of their digits. */
export function mustBeMasked(sample: ExportSample, words: string): void {
  const secrets = secretsOf(sample);
  expect(secrets.length > 0).toBe(!('column:customerCode' in sample.answers));
  for (const secret of secrets) expect(words).toContain(secret.slice(-4));
  expect(words).not.toMatch(partsOf(secrets));
}

/** Returns the whole numbers of cards and accounts in an export. */
function secretsOf(sample: ExportSample): string[] {
  const cells = exportedCells(sample).flatMap((row) =>
    row.map((cell, place) => ({
      digits: cell.replaceAll(/[ -]/g, ''),
      isAccount: place === ACCOUNT_CELLS[sample.name],
    })),
  );
  return cells
    .filter(({ digits, isAccount }) => (isAccount ? /^\d+$/ : /^\d{12,}$/).test(digits))
    .map(({ digits }) => digits);
}

/** Matches any five digits in a row of these numbers, also with blanks or dashes between them. */
function partsOf(numbers: readonly string[]): RegExp {
  const parts = numbers.flatMap((number) => [...number].slice(4).map((_, at) => number.slice(at, at + 5)));
  return new RegExp([...new Set(parts)].map((part) => [...part].join('[ -]?')).join('|') || '(?!)');
}
