import { writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { ProfileName, SampleAnswers } from '../../../schemas/profiles.ts';
import {
  answer,
  type Answer,
  type Answers,
  openFile,
  type Option,
  type Proposal,
  type Question,
  questionsOf,
  type Reason,
  reasonsOf,
  type Suggestion,
} from '../../csv/suggest/questions.ts';
import { readKnownProfiles } from '../../explain/read-profiles.ts';
import { systemClock } from '../../kernel/clock.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { maskName } from '../../kernel/mask.ts';
import { ask, hasPerson, systemTerminal, type Terminal } from '../call/terminal.ts';
import { type Call, type CliCommand, JSON_OPTION, print, settingsOf, withLedgerIfAny } from '../command.ts';
import { lineHere } from '../print/paydrop-line.ts';
import { tableOf } from '../print/table.ts';
import { folderNamed, readInput, SAMPLE_ARGUMENT } from './texts.ts';

export const suggest: CliCommand = {
  name: 'suggest',
  about: 'Suggest a profile for a file of an accounting system, and ask what the file does not show',
  takes: [SAMPLE_ARGUMENT],
  required: [['--folder <folder>', 'folder that files like this one will be dropped in']],
  options: [
    ['--name <name>', 'name of the profile; the text is then written to <name>.yaml'],
    ['--out <file>', 'file to write the text to; left out without a name, it is printed'],
    ['--answers <file>', 'JSON with answers by the id of their question; they are not asked'],
    JSON_OPTION,
  ],
  notes: [
    `Nothing is taken or sent, and nothing of the file is kept. Without a terminal the open questions
are listed, and the text has ??? in their place. Exit status 2 when questions are open.`,
  ],
  examples: [
    'profile suggest june.csv --folder drop/dues --name dues',
    'profile suggest june.csv --folder drop/dues --answers june.json --json',
  ],
  run: (call) => runSuggest(call, systemTerminal()),
};

/** @param terminal where the questions are asked, unless JSON is wanted */
export async function runSuggest(call: Call, terminal: Terminal): Promise<number> {
  const [path = ''] = call.arguments;
  const out = outOf(call);
  const bytes = await readInput(path);
  const known = await withLedgerIfAny(call, async (ledger) => (ledger ? readKnownProfiles(ledger) : []));
  const proposal = await openFile(bytes, { place: placeOf(call), now: systemClock.now(), known });
  const given = await givenAnswers(call.options['answers']);
  const answers = call.options['json'] || !hasPerson(terminal) ? given : await askAll(terminal, proposal, given);
  const suggestion = answer(proposal, answers);
  if (out !== undefined && suggestion.draft !== '') await writeNew(out, suggestion.draft);
  print(call, jsonOf(proposal, answers, suggestion), () =>
    [...report(maskName(basename(path)), proposal, answers, suggestion), ...ending(call, out, suggestion)].join('\n'),
  );
  return suggestion.profile ? EXIT.ok : EXIT.invalid;
}

function placeOf(call: Call) {
  const settings = settingsOf(call);
  const { account: name, operation } = folderNamed(settings, String(call.options['folder']));
  return { operation, account: settings.accounts.get(name)! };
}

/** Refuses a name or file before any question is asked. */
function outOf({ options: { name, out } }: Call): string | undefined {
  if (name !== undefined && !ProfileName.safeParse(name).success) {
    throw usage('suggest a profile', 'a profile cannot have that name', 'Use lower-case letters, digits and hyphens.');
  }
  const path = out ?? (name === undefined ? undefined : `${String(name)}.yaml`);
  if (path !== undefined && existsSync(String(path))) throw existing(String(path));
  return path === undefined ? undefined : String(path);
}

function usage(action: string, reason: string, next: string): PipelineError {
  return new PipelineError('USAGE', action, reason, { next });
}

function existing(path: string): PipelineError {
  return usage(`write "${maskName(basename(path))}"`, 'there is such a file', 'Give another name.');
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const code = systemCode(error);
    throw code === 'EEXIST'
      ? existing(path)
      : usage(`write "${maskName(basename(path))}"`, code ?? 'it failed', 'Give another place.');
  }
}

async function givenAnswers(path: Call['options'][string]): Promise<Answers> {
  if (path === undefined) return {};
  const text = (await readInput(String(path))).toString();
  const parsed = SampleAnswers.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw usage(
    'read the answers',
    'they are not a JSON object of texts, lists and words',
    'See --json for the questions.',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function askAll(terminal: Terminal, proposal: Proposal, given: Answers): Promise<Answers> {
  let answers = given;
  const told = reasonsOf(proposal, answers);
  if (told) terminal.output.write(`${told.form}\n`);
  for (let open = questionsOf(proposal, answers); open[0]; open = questionsOf(proposal, answers)) {
    answers = { ...answers, [open[0].id]: await askQuestion(terminal, open[0]) };
  }
  return answers;
}

function jsonOf(proposal: Proposal, answers: Answers, { profile, draft, open, faults }: Suggestion) {
  return { ...reasonsOf(proposal, answers), questions: open, faults, draft, isComplete: profile !== undefined };
}

const COLUMNS: Readonly<Record<string, (reason: Reason) => string>> = {
  Layout: ({ title }) => title,
  'Your column': ({ from }) => from ?? '?',
  Why: ({ confidence, why }) => `${confidence}: ${why}`,
  Example: ({ example }) => example,
  'Next best': ({ next }) => next ?? '',
};

function report(name: string, proposal: Proposal, answers: Answers, { open, faults }: Suggestion): string[] {
  const reasons = reasonsOf(proposal, answers);
  return [
    ...(reasons ? [`${name}: ${reasons.form}`] : [name]),
    ...(reasons && reasons.columns.length > 0 ? ['', tableOf(reasons.columns, COLUMNS)] : []),
    ...(reasons && reasons.amounts.length > 0
      ? ['', 'Columns of amounts', ...reasons.amounts.map((line) => `  ${line}`)]
      : []),
    ...faults.flatMap((fault) => ['', `No profile can be made: ${fault}.`]),
    ...(open.length > 0 ? ['', `${counted(open.length, 'question')} open`] : []),
    ...open.flatMap((question) => ['', `[${question.id}]`, ...questionLines(question)]),
  ];
}

function ending(
  { dir, arguments: [sample = ''], options: { name, folder } }: Call,
  out: string | undefined,
  { draft, profile }: Suggestion,
): string[] {
  if (draft === '') return [];
  if (out === undefined) return ['', draft.trimEnd()];
  const written = `Written: ${maskName(basename(out))}. Nothing reads with it yet.`;
  if (!profile) return ['', `${written} Answer the open questions, or replace each ??? in it.`];
  const line = (...words: string[]) => `  ${lineHere({ dir }, 'profile', ...words)}`;
  const called = name === undefined ? [] : ['--name', String(name)];
  return [
    '',
    `${written} Next:`,
    line('preview', out, sample, '--folder', String(folder)),
    line('import', out, ...called, '--reason', '…'),
    line('confirm', String(name ?? basename(out, extname(out))), '--sample', sample, '--reason', '…'),
  ];
}

/**
 * Asks one question at the terminal, until the answer fits. Enter takes what stands in brackets.
 * @throws PipelineError USAGE when the user leaves with Ctrl-C or Ctrl-D
 */
async function askQuestion(terminal: Terminal, question: Question): Promise<Answer> {
  terminal.output.write(`\n${questionLines(question).join('\n')}\n`);
  return ASK[question.kind](terminal, question);
}

/** Returns the text of a question, its evidence and its options. */
function questionLines({ about, text, evidence, options = [], words, kind }: Question): string[] {
  const isNumbered = kind === 'choice' || kind === 'list';
  return [
    `${about}: ${text}`,
    ...evidence.filter(Boolean).map((line) => `  ${line}`),
    ...options.map(({ label }, index) => (isNumbered || words ? `  ${index + 1} ${label}` : `  ${label}`)),
  ];
}

/** Returns a suggestion that is one text; nothing if it is none. */
function textOf(answer: unknown): string {
  return typeof answer === 'string' ? answer : '';
}

type AskKind = (terminal: Terminal, question: Question) => Promise<Answer>;

const ASK: { readonly [Kind in Question['kind']]: AskKind } = {
  choice: (terminal, { options = [], preselected }) => askOption(terminal, 'Number', options, textOf(preselected)),
  'yes-no': (terminal, { preselected }) => askYesNo(terminal, textOf(preselected)),
  words: askWords,
  list: (terminal, question) => (question.isWhole ? askWhole(terminal, question) : askList(terminal, question)),
  text: async (terminal) => repeat(async () => (await ask(terminal, 'Text: ')).trim() || undefined),
};

async function repeat<Given>(read: () => Promise<Given | undefined>): Promise<Given> {
  for (;;) {
    const given = await read();
    if (given !== undefined) return given;
  }
}

/** Reads the number of an option, or its value. */
function askOption(
  terminal: Terminal,
  label: string,
  options: readonly Option[],
  preselected: string,
): Promise<string> {
  const place = options.findIndex(({ value }) => value === preselected) + 1;
  return repeat(async () => {
    const typed =
      (await ask(terminal, `${label}${place > 0 ? ` [${place}]` : ''}: `)).trim() || (place > 0 ? String(place) : '');
    return (options[Number(typed) - 1] ?? options.find(({ value }) => value === typed))?.value;
  });
}

const YES_NO: Readonly<Record<string, string>> = { y: 'yes', yes: 'yes', n: 'no', no: 'no' };

function askYesNo(terminal: Terminal, preselected: string): Promise<string> {
  return repeat(async () => {
    const typed = (await ask(terminal, `y or n${preselected ? ` [${preselected[0]}]` : ''}: `)).trim().toLowerCase();
    return YES_NO[typed || preselected];
  });
}

async function askWords(terminal: Terminal, { words = [], options = [], preselected }: Question): Promise<Answer> {
  const chosen: Record<string, string> = {};
  for (const { value, label } of words) {
    const suggested: unknown = Reflect.get(Object(preselected ?? {}), value);
    chosen[value] = await askOption(terminal, `  ${label}`, options, textOf(suggested));
  }
  return chosen;
}

function askList(terminal: Terminal, { options = [], preselected = [] }: Question): Promise<Answer> {
  const suggested = options.flatMap(({ value }, index) => ([preselected].flat().includes(value) ? [index + 1] : []));
  return repeat(async () => {
    const typed = (await ask(terminal, `Numbers such as 1 3, or none [${suggested.join(' ') || 'none'}]: `)).trim();
    return pickNumbers(typed || suggested.join(' ') || 'none', options);
  });
}

function pickNumbers(typed: string, options: readonly Option[]): string[] | undefined {
  if (typed === 'none') return [];
  const picked = typed.split(/[\s,]+/).map((number) => options[Number(number) - 1]?.value);
  return picked.every((value) => value !== undefined) ? picked : undefined;
}

/** Every item must be right. A person who does not agree names those that are wrong. */
async function askWhole(terminal: Terminal, { options = [] }: Question): Promise<Answer> {
  const all = options.map(({ value }) => value);
  if ((await askYesNo(terminal, '')) === 'yes') return all;
  const wrong = await repeat(async () =>
    pickNumbers((await ask(terminal, 'Numbers of those to send: ')).trim(), options),
  );
  return all.filter((value) => !wrong.includes(value));
}
