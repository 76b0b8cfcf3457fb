import type { Answer, Option, Question } from '../../csv/suggest/questions.ts';
import { ask, type Terminal } from '../call/terminal.ts';

/**
 * Asks one question at the terminal, until the answer fits. Enter takes what stands in brackets.
 * @throws PipelineError USAGE when the user leaves with Ctrl-C or Ctrl-D
 */
export async function askQuestion(terminal: Terminal, question: Question): Promise<Answer> {
  terminal.output.write(`\n${questionLines(question).join('\n')}\n`);
  return ASK[question.kind](terminal, question);
}

/** Returns the text of a question, its evidence and its options. */
export function questionLines({ about, text, evidence, options = [], words, kind }: Question): string[] {
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
