import type { Answer, Answers, Question } from '../../../../src/csv/suggest/questions.ts';
import { type Proposal, questionsOf } from '../../../../src/csv/suggest/questions.ts';
import type { Truth } from './made-exports.ts';

/** Answers all questions as the person would who made the export. A question must offer the true answer. */
export function answerTruly(proposal: Proposal, truth: Truth): Answers {
  let answers: Answers = {};
  for (let turns = 0; turns < 60; turns += 1) {
    const questions = questionsOf(proposal, answers);
    if (questions.length === 0) return answers;
    const told = questions.map((question) => [question.id, trueAnswer(question, truth)] as const);
    const stuck = told.find(([id, answer]) => JSON.stringify(answers[id]) === JSON.stringify(answer));
    if (stuck) throw new Error(`${stuck[0]} does not take ${JSON.stringify(stuck[1])}`);
    answers = { ...answers, ...Object.fromEntries(told) };
  }
  throw new Error('there are questions without end');
}

function trueAnswer(question: Question, truth: Truth): Answer {
  const [kind = '', subject = ''] = question.id.split(/:(.*)/s);
  const values = question.options?.map(({ value }) => value) ?? [];
  switch (kind) {
    case 'charset':
    case 'separator':
    case 'layout':
      return truth[kind];
    case 'titles':
      return question.options!.find(({ label }) => label.includes(truth.titles.slice(0, 2).join(' | ')))?.value ?? '';
    case 'above':
      return [...truth.above];
    case 'column':
      return truth.sources[subject as keyof Truth['sources']] ?? '';
    case 'tells':
      if (subject === truth.status?.title) return 'payments';
      return subject === truth.currency ? 'guard' : 'nothing';
    case 'only':
      return Object.fromEntries(
        question.words!.map(({ value }) => [value, truth.status!.take.includes(value) ? 'take' : 'skip']),
      );
    case 'number':
      return truth.numbers.writing;
    case 'whole':
      return truth.numbers.mayBeWhole ? 'yes' : 'no';
    case 'negative':
      return truth.negative;
    case 'sign':
      return '(own sign)';
    case 'date-format':
      return ofForm(values, truth.dateForm);
    case 'expiry-format':
      return ofForm(values, truth.expiryForm);
    case 'words':
      return Object.fromEntries(question.words!.map(({ value }) => [value, truth.mops[value]!]));
    case 'total':
      return values.includes('once') ? 'once' : 'skip';
    case 'subtotals':
      return 'skip';
    case 'repeated':
      return 'no';
    case 'guard':
      return 'none';
    case 'tail':
      return 'yes';
    case 'ignored':
      return values;
    case 'sums':
      return [];
    default:
      throw new Error(`nothing is known about ${question.id}`);
  }
}

/** A form may be written with one digit or two. */
function ofForm(values: readonly string[], form: string): string {
  const plain = (text: string) => text.replace('DD', 'D').replace(/(?<!M)MM(?!M)/, 'M');
  return values.find((value) => plain(value) === plain(form)) ?? '';
}
