import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import { type WireOperation, wireRow } from '../../../schemas/wire.ts';

type TextFields = ReadonlyMap<string, string>;

/**
 * Finds the first overlong text of a call. Assumption: the service refuses it, so that the client notices. Numbers have
 * refusals of their own and are not checked here. Payer IP addresses are not either, because clients send longer
 * addresses.
 * @returns a sentence about the text, without quoting it, or undefined
 */
export function findLongText(operation: WireOperation, fields: TextFields): string | undefined {
  const [long] = longTexts(operation, fields);
  return long && `Bad request. ${long.name} may have ${long.limit} characters at most.`;
}

/** Returns the fields with every text cut to its limit, as a lenient database would. */
export function cutLongTexts(operation: WireOperation, fields: TextFields): TextFields {
  const cut = longTexts(operation, fields).map(({ name, text, limit }) => [name, cutText(text, limit)] as const);
  return cut.length === 0 ? fields : new Map([...fields, ...cut]);
}

type LongText = { readonly name: string; readonly text: string; readonly limit: number };

function longTexts(operation: WireOperation, fields: TextFields): LongText[] {
  return wireRow(operation).elements.flatMap((name) => {
    const text = fields.get(name);
    const limit = limitOf(name);
    return text !== undefined && limit !== undefined && text.length > limit ? [{ name, text, limit }] : [];
  });
}

function limitOf(name: string): number | undefined {
  if (!isField(name)) return undefined;
  const field = FIELDS[name];
  return field.kind === 'text' ? field.maxLength : undefined;
}

function isField(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name);
}

/** Cuts a text. Half of a surrogate pair could not be written into an answer. */
function cutText(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
}
