import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { Notice } from './blocks.tsx';
import { said } from './words.tsx';

type FieldProps = {
  readonly name: string;
  /** Tells fields of one name apart on a page with several forms. */
  readonly within?: string | undefined;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly fault?: string | undefined;
};

/** What is wrong with a form, and in which field if in one. */
export type FormFault = { readonly says: string; readonly field?: string | undefined };

/** Shows on top of a form what is wrong with it, with links to the fields. */
export function FaultSummary({ faults }: { faults: readonly FormFault[] }) {
  if (faults.length === 0) return null;
  return (
    <Notice kind="bad" title="There is a problem">
      <ul>
        {faults.map(({ says, field }) => (
          <li key={says}>{field === undefined ? said(says) : <a href={`#f-${field}`}>{says}</a>}</li>
        ))}
      </ul>
    </Notice>
  );
}

/** Shows a line of a form. Label, hint and fault are linked for screen readers. A field with a fault has the focus. */
export function TextField({
  type = 'text',
  value,
  isRequired = false,
  autocomplete,
  minLength,
  ...field
}: FieldProps & {
  type?: 'text' | 'password' | 'date' | 'number' | 'search' | 'email';
  value?: string | undefined;
  isRequired?: boolean;
  autocomplete?: string;
  minLength?: number;
}) {
  // The types of an input depend on its kind, which is not known here.
  const input = {
    id: `f-${idOf(field)}`,
    name: field.name,
    type,
    value,
    required: isRequired,
    autocomplete,
    minLength,
    'aria-describedby': describedBy(field),
    'aria-invalid': field.fault === undefined ? undefined : true,
    autofocus: field.fault !== undefined,
  } as InputHTMLAttributes;
  return (
    <Labelled {...field}>
      <input {...input} />
    </Labelled>
  );
}

/** Shows a field of several lines, for a reason or evidence. */
export function LongTextField({
  value,
  isRequired = false,
  ...field
}: FieldProps & { value?: string | undefined; isRequired?: boolean }) {
  return (
    <Labelled {...field}>
      <textarea
        id={`f-${idOf(field)}`}
        name={field.name}
        rows={3}
        required={isRequired}
        aria-describedby={describedBy(field)}
        aria-invalid={field.fault === undefined ? undefined : true}
        autofocus={field.fault !== undefined}
      >
        {value}
      </textarea>
    </Labelled>
  );
}

/** Shows a field for one file, which must be chosen unless it is optional. */
export function FileField({ name, label, hint, isRequired = true }: FieldProps & { isRequired?: boolean }) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      <input
        id={`f-${name}`}
        name={name}
        type="file"
        required={isRequired}
        aria-describedby={describedBy({ name, label, hint })}
      />
    </Labelled>
  );
}

export type Choice = { readonly value: string; readonly label: string };

export function ChoiceField({
  choices,
  value,
  ...field
}: FieldProps & { choices: readonly Choice[]; value?: string | undefined }) {
  return (
    <Labelled {...field}>
      <select id={`f-${idOf(field)}`} name={field.name} aria-describedby={describedBy(field)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Labelled({ label, hint, fault, children, ...field }: FieldProps & { children: ComponentChildren }) {
  const id = idOf(field);
  return (
    <div class="field">
      <label for={`f-${id}`}>{label}</label>
      {hint && (
        <p class="hint" id={`h-${id}`}>
          {hint}
        </p>
      )}
      {children}
      {fault && (
        <p class="fault" id={`e-${id}`}>
          {fault}
        </p>
      )}
    </div>
  );
}

function idOf({ name, within }: Pick<FieldProps, 'name' | 'within'>): string {
  return within === undefined ? name : `${name}-${within}`;
}

function describedBy({ hint, fault, ...field }: FieldProps): string | undefined {
  const id = idOf(field);
  const ids = [hint ? `h-${id}` : '', fault ? `e-${id}` : ''].filter(Boolean).join(' ');
  return ids === '' ? undefined : ids;
}
