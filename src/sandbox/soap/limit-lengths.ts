import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import { type WireOperation, wireRow } from '../../../schemas/wire.ts';

type TextFields = ReadonlyMap<string, string>;

/**
 * What the service does with a text that is too long is not known: refusing it is our assumption,
 * because a client then hears of it. Numbers are not asked here, they have refusals of their own, and neither are
 * addresses of payers, of which clients send longer ones.
 * @returns a sentence about the first such text of a call, without the text; undefined when there is none
 */
export function findLongText(operation: WireOperation, fields: TextFields): string | undefined {
  const [long] = longTexts(operation, fields);
  return long && `Bad request. ${long.name} may have ${long.limit} characters at most.`;
}

/** The fields of a call with every text cut to what fits, as a database does that is told not to complain. */
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

/** Half of a character that is written as two could not be written into an answer. */
function cutText(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
}
