import type { ComponentChildren } from 'preact';
import type { Answer, Answers, Option, Question, Reason, Reasons } from '../../../csv/suggest/questions.ts';
import { holdsCardNumber, maskText } from '../../../kernel/mask.ts';
import { sha256Of } from '../../../kernel/hash.ts';
import { fieldOf, fieldsOf } from '../../access/read-form.ts';
import { Section, Table } from '../../parts/blocks.tsx';
import { TextField } from '../../parts/form.tsx';

/** The steps of the questions about a sample, in their order. */
export const STEPS: Readonly<Record<Question['step'], string>> = {
  form: 'Form of the file',
  columns: 'Columns',
  rows: 'Rows',
  formats: 'Formats',
  words: 'Words',
};

const YES_NO: readonly Option[] = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];

/** More options are listed in a menu, which is shorter. */
const MOST_RADIOS = 6;

/** A page with more fields would neither be read nor be sent. */
const MOST_WORDS = 100;

/**
 * Returns a mark of the questions as they are shown. Fields name questions and options by their places, so that no cell
 * gets into a page unmasked; the mark shows that the places still mean the same.
 */
export function markOf(questions: readonly Question[]): string {
  const shown = questions.map(({ id, text, options, words }) => [id, text, labelsOf(options), labelsOf(words)]);
  return sha256Of(JSON.stringify(shown)).slice(0, 32);
}

function labelsOf(options: readonly Option[] = []): string[] {
  return options.map(({ label }) => label);
}

/** Returns the answers with those of a form. A question that the form does not answer is open again. */
export function withAnswers(answers: Answers, questions: readonly Question[], form: unknown): Answers {
  const asked = new Set(questions.map(({ id }) => id));
  const others = Object.entries(answers).filter(([id]) => !asked.has(id));
  const given = questions.flatMap((question, place) => {
    const answer = READ[question.kind](question, form, `q${place}`);
    return answer === undefined ? [] : [[question.id, answer] as const];
  });
  return Object.fromEntries([...others, ...given]);
}

type Read = (question: Question, form: unknown, name: string) => Answer | undefined;

const READ: { readonly [Kind in Question['kind']]: Read } = {
  choice: ({ options }, form, name) => pick(options, fieldOf(form, name)),
  'yes-no': (_question, form, name) => pick(YES_NO, fieldOf(form, name)),
  words: ({ options, words = [] }, form, name) => {
    const targets = words.map((_, place) => pick(options, fieldOf(form, `${name}-${place}`)));
    return targets.includes(undefined)
      ? undefined
      : Object.fromEntries(words.map(({ value }, place) => [value, targets[place]!]));
  },
  list: ({ options }, form, name) => fieldsOf(form, name).flatMap((place) => pick(options, place) ?? []),
  text: (_question, form, name) => fieldOf(form, name) || undefined,
};

function pick(options: readonly Option[] = [], place: string): string | undefined {
  return /^\d{1,4}$/.test(place) ? options[Number(place)]?.value : undefined;
}

/** Shows one question with its answer, or else with what the sample suggests. */
export function QuestionField({ question, place, answer }: { question: Question; place: number; answer?: Answer }) {
  const { about, text, evidence, kind, preselected, words = [] } = question;
  const name = `q${place}`;
  const field = { name, question, answer: answer ?? preselected };
  if (kind === 'text') return <WrittenText {...field} isOpen={answer === undefined} />;
  return (
    <fieldset aria-describedby={`t-${name}`}>
      <legend>
        {about}
        {answer === undefined && (
          <>
            {' '}
            <span class="state warn">open</span>
          </>
        )}
      </legend>
      <div id={`t-${name}`}>
        <p>{text}</p>
        <Evidence lines={evidence} />
      </div>
      {words.length > MOST_WORDS ? (
        <p class="fault">These are {words.length} different words, too many to list. Is another column meant?</p>
      ) : (
        FIELDS[kind](field)
      )}
    </fieldset>
  );
}

function Evidence({ lines }: { lines: readonly string[] }) {
  const told = lines.filter((line) => line !== '');
  if (told.length === 0) return null;
  return (
    <ul class="sentences hint">
      {told.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

type Field = { readonly name: string; readonly question: Question; readonly answer: Answer | undefined };

function WrittenText({ name, question: { about, text, evidence }, answer, isOpen }: Field & { isOpen: boolean }) {
  const value = typeof answer === 'string' ? answer : '';
  return (
    <TextField
      name={name}
      label={`${about}${isOpen ? ' (open)' : ''}`}
      hint={[text, ...evidence].join(' ')}
      value={holdsCardNumber(value) ? maskText(value) : value}
      autocomplete="off"
      isRequired
    />
  );
}

const FIELDS: { readonly [Kind in Exclude<Question['kind'], 'text'>]: (field: Field) => ComponentChildren } = {
  choice: ({ name, question: { about, options = [] }, answer }) =>
    options.length > MOST_RADIOS ? (
      <SelectField name={name} label={about} isHidden options={options} chosen={answer} />
    ) : (
      <Radios name={name} options={options} chosen={answer} />
    ),
  'yes-no': ({ name, answer }) => <Radios name={name} options={YES_NO} chosen={answer} />,
  words: ({ name, question: { options = [], words = [] }, answer }) =>
    words.map((word, place) => (
      <SelectField
        key={word.value}
        name={`${name}-${place}`}
        label={word.label}
        options={options}
        chosen={targetIn(answer, word.value)}
      />
    )),
  list: Checkboxes,
};

function Checkboxes({ name, question: { options = [], isWhole }, answer }: Field) {
  return (
    <>
      {isWhole && <p class="hint">If one should be sent, uncheck it; then all columns are asked for.</p>}
      {options.map(({ value, label }, place) => (
        <label key={value} class="check">
          <input type="checkbox" name={name} value={place} checked={Array.isArray(answer) && answer.includes(value)} />{' '}
          {label}
        </label>
      ))}
    </>
  );
}

function Radios({ name, options, chosen }: { name: string; options: readonly Option[]; chosen: Answer | undefined }) {
  return (
    <>
      {options.map(({ value, label }, place) => (
        <label key={value} class="check">
          <input type="radio" name={name} value={place} checked={value === chosen} required /> {label}
        </label>
      ))}
    </>
  );
}

function targetIn(answer: Answer | undefined, word: string): unknown {
  return typeof answer === 'object' && Object.hasOwn(answer, word) ? Reflect.get(answer, word) : undefined;
}

type Select = {
  readonly name: string;
  readonly label: string;
  /** Whether the legend says the same, so that only a screen reader needs it. */
  readonly isHidden?: boolean;
  readonly options: readonly Option[];
  readonly chosen: unknown;
};

function SelectField({ name, label, isHidden = false, options, chosen }: Select) {
  return (
    <div class="field">
      <label for={`f-${name}`} class={isHidden ? 'hidden' : undefined}>
        {label}
      </label>
      <select id={`f-${name}`} name={name} required>
        <option value="">Choose…</option>
        {options.map((option, place) => (
          <option key={option.value} value={place} selected={option.value === chosen}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Shows what a suggestion of columns rests on, above the questions about it. */
export function ReasonParts({ reasons }: { reasons: Reasons | undefined }) {
  if (!reasons || reasons.columns.length === 0) return null;
  return (
    <Section title="What the file shows">
      <Table
        label="Columns of the layout"
        rows={reasons.columns}
        empty=""
        columns={[
          { title: 'Is sent', cell: ({ title }: Reason) => title },
          { title: 'Your column', cell: ({ from }) => from ?? '?' },
          { title: 'Why', cell: ({ confidence, why }) => `${confidence}: ${why}` },
          { title: 'Example', cell: ({ example }) => example },
          { title: 'Next best', cell: ({ next }) => next },
        ]}
      />
      {reasons.amounts.length > 0 && (
        <>
          <h3>Columns of amounts</h3>
          <ul class="sentences">
            {reasons.amounts.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
