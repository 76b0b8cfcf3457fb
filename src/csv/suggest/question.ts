/** Where in the work a question belongs; a form may group by it. */
export type Step = 'form' | 'rows' | 'columns' | 'formats' | 'words';

export type Option = { readonly value: string; readonly label: string };

/**
 * A question about a sample, as data: a terminal asks it, a page shows it as part of a form. All texts are masked.
 *
 * `choice`  the value of one option
 * `yes-no`  `yes` or `no`
 * `words`   for each of `words` the value of one option
 * `list`    the values of some options; with `isWhole`, all of them, each looked at
 * `text`    a text; an empty one does not answer
 */
export type Question = {
  /** The same for the same sample, such as `column:amount`. */
  readonly id: string;
  readonly step: Step;
  /** What it decides, in a few words. */
  readonly about: string;
  readonly text: string;
  /** What the sample says about it, a line each. */
  readonly evidence: readonly string[];
  readonly kind: 'choice' | 'yes-no' | 'words' | 'list' | 'text';
  readonly options?: readonly Option[];
  readonly words?: readonly Option[];
  readonly isWhole?: true;
  /** What the sample suggests. It answers nothing by itself. */
  readonly preselected?: Answer;
};

export type Answer = string | readonly string[] | Readonly<Record<string, string>>;

/** Answers by the id of their question. One that does not fit its question leaves it open. */
export type Answers = Readonly<Record<string, Answer>>;

/** What stands in a draft where a question is open. */
export const OPEN = '???';

/** Asks questions, which the answers at hand may answer, and remembers those that stay open. */
export type Asker = {
  readonly choose: (question: Omit<Question, 'kind' | 'words'>) => string | undefined;
  readonly confirm: (question: Omit<Question, 'kind' | 'options' | 'words'>) => boolean | undefined;
  readonly sort: (question: Omit<Question, 'kind'>) => Readonly<Record<string, string>> | undefined;
  readonly pick: (question: Omit<Question, 'kind' | 'words'>) => readonly string[] | undefined;
  readonly write: (question: Omit<Question, 'kind' | 'options' | 'words'>) => string | undefined;
  /** All questions so far, also the answered ones. */
  readonly asked: () => readonly Question[];
  readonly open: () => readonly Question[];
};

export function asker(answers: Answers): Asker {
  const asked: Question[] = [];
  const open: Question[] = [];

  /** Returns the answer if it fits the question. */
  function ask<Fitting extends Answer>(
    question: Question,
    fits: (answer: Answer) => answer is Fitting,
  ): Fitting | undefined {
    asked.push(question);
    const answer = Object.hasOwn(answers, question.id) ? answers[question.id] : undefined;
    if (answer !== undefined && fits(answer)) return answer;
    open.push(question);
    return undefined;
  }

  return {
    choose: (question) => ask({ ...question, kind: 'choice' }, isOneOf(question.options)),
    confirm: (question) => {
      const answer = ask({ ...question, kind: 'yes-no' }, isOneOf(YES_NO));
      return answer === undefined ? undefined : answer === 'yes';
    },
    sort: (question) => ask({ ...question, kind: 'words' }, sortsAll(question)),
    pick: (question) => ask({ ...question, kind: 'list' }, picksFrom(question)),
    write: (question) => ask({ ...question, kind: 'text' }, isFilled),
    asked: () => asked,
    open: () => open,
  };
}

const YES_NO: readonly Option[] = [
  { value: 'yes', label: 'yes' },
  { value: 'no', label: 'no' },
];

function isOneOf(options: readonly Option[] = []) {
  return (answer: Answer): answer is string => options.some(({ value }) => value === answer);
}

function isFilled(answer: Answer): answer is string {
  return typeof answer === 'string' && answer.trim() !== '';
}

function picksFrom({ options = [], isWhole }: Pick<Question, 'options' | 'isWhole'>) {
  return (answer: Answer): answer is readonly string[] =>
    isList(answer) && (isWhole ? options.every(({ value }) => answer.includes(value)) : answer.every(isOneOf(options)));
}

function sortsAll({ options, words = [] }: Pick<Question, 'options' | 'words'>) {
  return (answer: Answer): answer is Readonly<Record<string, string>> =>
    typeof answer === 'object' &&
    !isList(answer) &&
    words.every(({ value }) => Object.hasOwn(answer, value) && isOneOf(options)(answer[value]!));
}

function isList(answer: Answer): answer is readonly string[] {
  return Array.isArray(answer);
}
