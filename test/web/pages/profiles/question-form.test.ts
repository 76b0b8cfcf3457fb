import { describe, expect, it } from 'vitest';
import type { Question } from '../../../../src/csv/suggest/questions.ts';
import { markOf, QuestionField, withAnswers } from '../../../../src/web/pages/profiles/question-form.tsx';
import { fieldsIn } from '../../support/answer-questions.ts';
import { draw, wordsOf } from '../../support/page-words.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KeptSample, openKeptSamples } from '../../../../src/web/pages/profiles/kept-samples.ts';
import { upTo } from '../../../support/payment-rows.ts';

const ABOUT = { about: 'Words', text: 'What is each word?', evidence: ['two words', ''] } as const;
const TARGETS = [
  { value: 'VISA', label: 'VISA' },
  { value: 'MC', label: 'MC' },
];
const words = (count: number): Question => ({
  ...ABOUT,
  id: 'words:mop',
  step: 'words',
  kind: 'words',
  options: TARGETS,
  words: Array.from({ length: count }, (_, n) => ({ value: `422222222222${n}`, label: `********222${n}` })),
  preselected: { '4222222222220': 'MC' },
});
const listed: Question = { ...ABOUT, id: 'above', step: 'rows', kind: 'list', options: TARGETS, preselected: ['MC'] };
const written: Question = { ...ABOUT, id: 'date-format', step: 'formats', kind: 'text' };
const agreed: Question = { ...ABOUT, id: 'tail', step: 'rows', kind: 'yes-no', preselected: 'yes' };
const ALL = [words(2), listed, written, agreed];

const chosen = (question: Question, answer?: NonNullable<Question['preselected']>) =>
  fieldsIn(draw(QuestionField, { question, place: 0, ...(answer !== undefined && { answer }) })).map(({ options }) =>
    options.filter(({ isChosen }) => isChosen).map(({ label }) => label),
  );

describe('QuestionField', () => {
  it('chooses what the sample suggests as long as the question is open, and then the answer', () => {
    expect(chosen(words(2))).toEqual([['MC'], []]);
    expect(chosen(words(2), { '4222222222220': 'VISA', '4222222222221': 'MC' })).toEqual([['VISA'], ['MC']]);
    expect([chosen(listed), chosen(listed, ['VISA'])]).toEqual([[['MC']], [['VISA']]]);
    expect([chosen(agreed), chosen(agreed, 'no')]).toEqual([[['Yes']], [['No']]]);
    expect(wordsOf(draw(QuestionField, { question: agreed, place: 0 }))).toContain('Words open What is each word?');
    expect(wordsOf(draw(QuestionField, { question: agreed, place: 0, answer: 'no' }))).not.toContain('open');
  });

  it('lists many options in a menu, in which nothing is chosen for a person', () => {
    const options = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((value) => ({ value, label: value }));
    const many: Question = { ...ABOUT, id: 'column:city', step: 'columns', kind: 'choice', options };
    const [field] = fieldsIn(draw(QuestionField, { question: many, place: 0 }));
    expect([field!.kind, chosen(many), chosen(many, 'g')]).toEqual(['select', [[]], [['g']]]);
    expect(fieldsIn(draw(QuestionField, { question: { ...many, options: options.slice(1) }, place: 0 }))[0]!.kind).toBe(
      'radio',
    );
  });

  it('names words and options by their places only, so that no cell is in the page', () => {
    expect(draw(QuestionField, { question: words(2), place: 0 })).not.toContain('422222222222');
    expect(draw(QuestionField, { question: written, place: 0, answer: '4222222222222220' })).not.toContain(
      '4222222222',
    );
  });

  it('lists no more words than a person can look at', () => {
    expect(fieldsIn(draw(QuestionField, { question: words(100), place: 0 }))).toHaveLength(100);
    const html = draw(QuestionField, { question: words(101), place: 0 });
    expect([fieldsIn(html), wordsOf(html)]).toEqual([[], expect.stringContaining('101 different words')]);
  });
});

describe('withAnswers', () => {
  it('reads a form, and keeps the answers of other questions', () => {
    const form = { 'q0-0': '1', 'q0-1': '0', q1: ['0', '1'], q2: ' MM/YY ', q3: '1' };
    expect(withAnswers({ layout: 'card' }, ALL, form)).toEqual({
      layout: 'card',
      'words:mop': { '4222222222220': 'MC', '4222222222221': 'VISA' },
      above: ['VISA', 'MC'],
      'date-format': 'MM/YY',
      tail: 'no',
    });
  });

  it.each([
    ['nothing', {}],
    ['places that there are not', { 'q0-0': '1', 'q0-1': '2', q1: ['9', 'x'], q3: 'yes' }],
  ])('opens questions again that the form answers with %s', (_, form) => {
    const before = { tail: 'yes', 'date-format': 'MM/YY', 'words:mop': {} };
    expect(withAnswers(before, ALL, form)).toEqual({ above: [] });
  });
});

describe('markOf', () => {
  it('differs when a place means something else', () => {
    const marks = [
      ALL,
      ALL.slice(1),
      ALL.toReversed(),
      [words(3), ...ALL.slice(1)],
      [{ ...words(2), options: TARGETS.toReversed() }, ...ALL.slice(1)],
    ].map(markOf);
    expect(new Set(marks).size).toBe(marks.length);
    expect(markOf([...ALL])).toBe(marks[0]);
  });
});

const sampleOf = (name: string) => ({ name, bytes: Buffer.from(name) }) as KeptSample;

describe('openKeptSamples', () => {
  it('keeps one sample for each session, and gives it to no other', () => {
    const samples = openKeptSamples();
    samples.keep('ann', sampleOf('may.csv'));
    samples.keep('ann', sampleOf('june.csv'));
    samples.keep('bob', sampleOf('july.csv'));
    expect(['ann', 'bob', 'eve'].map((session) => samples.find(session)?.name)).toEqual([
      'june.csv',
      'july.csv',
      undefined,
    ]);
    samples.forget('ann');
    expect(samples.find('ann')).toBeUndefined();
    samples.close();
    expect(samples.find('bob')).toBeUndefined();
  });

  it('forgets a sample that is not looked at for the time, and not one that is', async () => {
    const samples = openKeptSamples(80);
    samples.keep('ann', sampleOf('june.csv'));
    samples.keep('bob', sampleOf('july.csv'));
    for (let looks = 0; looks < 8; looks += 1) {
      await sleep(20);
      samples.find('ann');
    }
    await expect.poll(() => samples.find('bob')).toBeUndefined();
    samples.close();
  });

  it('drops what was unused for longest when it is full', () => {
    const samples = openKeptSamples();
    const sessions = upTo(7).map((n) => `person ${n}`);
    for (const session of sessions.slice(0, 6)) samples.keep(session, sampleOf(session));
    samples.find('person 1');
    samples.keep('person 7', sampleOf('person 7'));
    expect(sessions.filter((session) => !samples.find(session))).toEqual(['person 2']);
    samples.close();
  });
});
