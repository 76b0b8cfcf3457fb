import { Buffer } from 'node:buffer';
import type { Answer, TestBrowser } from './dashboard-world.ts';
import { wordsOf } from './read-page.ts';

/** A file of an accounting system: a company above, a total below, two columns that could be the amount. */
export const DUES_SAMPLE = [
  'Acme Swim Club Inc',
  'Num,Member,Date,Amount,Balance,Memo',
  ...[1, 2, 3, 4, 5, 6].map((row) => `100${row},A1000${row},06/${12 + row}/2026,"1,2${row}0.00",${row}0.00,June dues`),
  'TOTAL,,,"7,410.00",,',
  '',
].join('\n');

/** What a person answers about it, by the title of the question; all else is as suggested. */
export const DUES_ANSWERS: Told = {
  Layout: 'bank account, with customer',
  'Invoice #': 'Num',
  'Customer Code': 'Member',
  Amount: 'Amount',
  Comment: 'Memo',
};

/** The beginning of the label of the option to choose, by the title of its question. */
export type Told = Readonly<Record<string, string>>;

/** A field of a question. An option that is chosen already is what the sample suggests, or an earlier answer. */
export type AskedField = {
  readonly about: string;
  readonly name: string;
  readonly kind: 'radio' | 'checkbox' | 'select' | 'text';
  readonly options: readonly { readonly value: string; readonly label: string; readonly isChosen: boolean }[];
};

/** Sends a file to begin with, as a browser does. */
export async function beginProfile(
  browser: TestBrowser,
  sample: string | Uint8Array<ArrayBuffer>,
  folder = 'drop/dues',
  name = 'june.csv',
): Promise<Answer> {
  const body = new FormData();
  body.set('_csrf', await browser.csrf());
  body.set('folder', folder);
  body.set('sample', new File([typeof sample === 'string' ? Buffer.from(sample) : sample], name));
  return browser.send('/new-profile', { method: 'POST', body });
}

/** Returns the fields of all questions of a page. */
export function fieldsIn(html: string): AskedField[] {
  return [...html.matchAll(/<fieldset[^>]*>([^]*?)<\/fieldset>/g)].flatMap(([, body = '']) => {
    const about = wordsOf(/<legend>([^]*?)<\/legend>/.exec(body)?.[1] ?? '').replace(/ open$/, '');
    return [...choicesIn(about, body), ...selectsIn(about, body)];
  });
}

function choicesIn(about: string, body: string): AskedField[] {
  const inputs = [...body.matchAll(/<label class="check">\s*<input([^>]*)>([^]*?)<\/label>/g)].map(
    ([, attributes = '', label = '']) => ({
      name: valueOf(attributes, 'name'),
      kind: valueOf(attributes, 'type') as 'radio' | 'checkbox',
      value: valueOf(attributes, 'value'),
      label: wordsOf(label),
      isChosen: / checked/.test(attributes),
    }),
  );
  const [first] = inputs;
  return first ? [{ about, name: first.name, kind: first.kind, options: inputs }] : [];
}

function selectsIn(about: string, body: string): AskedField[] {
  return [...body.matchAll(/<select([^>]*)>([^]*?)<\/select>/g)].map(([, attributes = '', inner = '']) => ({
    about,
    name: valueOf(attributes, 'name'),
    kind: 'select',
    options: [...inner.matchAll(/<option([^>]*)>([^]*?)<\/option>/g)]
      .map(([, option = '', label = '']) => ({
        value: valueOf(option, 'value'),
        label: wordsOf(label),
        isChosen: / selected/.test(option),
      }))
      .filter(({ value }) => value !== ''),
  }));
}

function valueOf(attributes: string, name: string): string {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
}

/** Sends the form of the page with these values, the questions by the names of their fields. */
export async function sendAnswers(
  browser: TestBrowser,
  html: string,
  values: readonly (readonly [name: string, value: string])[],
): Promise<Answer> {
  const hidden = [...html.matchAll(/<input type="hidden" name="(step|mark)" value="([^"]*)"/g)];
  const body = new URLSearchParams([['_csrf', await browser.csrf()]]);
  for (const [, name, value] of hidden) body.append(name!, value!);
  for (const [name, value] of values) body.append(name, value);
  return browser.send('/new-profile/questions', { method: 'POST', body });
}

/** Answers page after page, until no question is open. @returns the titles of all pages, in their order */
export async function answerAll(browser: TestBrowser, told: Told): Promise<string[]> {
  const seen: string[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    const page = await browser.get('/new-profile/questions');
    if (page.location !== undefined) return [...seen, page.location];
    seen.push(wordsOf(/<h1>([^]*?)<\/h1>/.exec(page.text)?.[1] ?? ''));
    const values = fieldsIn(page.text).flatMap((field) =>
      chosenIn(field, told).map((value) => [field.name, value] as const),
    );
    await sendAnswers(browser, page.text, values);
  }
  throw new Error(`questions are open for ever: ${seen.join(', ')}`);
}

function chosenIn({ about, options }: AskedField, told: Told): string[] {
  const wanted = told[about];
  if (wanted === undefined) return options.filter(({ isChosen }) => isChosen).map(({ value }) => value);
  const found = options.find(({ label }) => label.startsWith(wanted));
  if (!found) throw new Error(`${about} has no ${wanted}: ${options.map(({ label }) => label).join(' | ')}`);
  return [found.value];
}
