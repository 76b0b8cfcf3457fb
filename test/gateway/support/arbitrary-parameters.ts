import fc from 'fast-check';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS, type Server } from '../../../schemas/operations.ts';
import { SERVER_MOPS } from '../../../schemas/restrictions.ts';

export type AnyParameters = Record<string, unknown>;

/**
 * Generates parameters of an operation as callers may write them, from the tables: all required ones and any of the
 * others, some of them undefined.
 */
export function arbitraryParameters(operation: OperationName, server: Server): fc.Arbitrary<AnyParameters> {
  const row: Record<'required' | 'optional' | 'unstated', readonly FieldName[]> = OPERATIONS[operation];
  const needed = row.required.map((name) => [name, arbitraryValue(name, operation, server, true)] as const);
  const others = [...row.optional, ...row.unstated].map(
    (name) => [name, fc.option(arbitraryValue(name, operation, server, false), { nil: undefined, freq: 9 })] as const,
  );
  return fc
    .record(Object.fromEntries([...needed, ...others]) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: [...row.required],
    })
    .map((values) => keepPairRules({ ...values }, operation));
}

/** @param isNeeded whether the operation requires it; then a target or a way to pay must not be empty */
function arbitraryValue(
  name: FieldName,
  operation: OperationName,
  server: Server,
  isNeeded: boolean,
): fc.Arbitrary<unknown> {
  const row = FIELDS[name];
  const emptyOr = (arbitrary: fc.Arbitrary<unknown>) => fc.option(arbitrary, { nil: '', freq: 6 });
  const unlessNeeded = (arbitrary: fc.Arbitrary<unknown>) => (isNeeded ? arbitrary : emptyOr(arbitrary));
  switch (row.kind) {
    case 'boolean':
      return fc.boolean();
    case 'dateTime':
      return arbitraryMoment;
    case 'base64':
      return fc.uint8Array({ minLength: 1, maxLength: 400 });
    case 'decimal':
      return name === 'total' ? arbitraryTotal(operation) : emptyOr(arbitraryAmount);
    case 'expiry':
      return unlessNeeded(arbitraryExpiry);
    case 'ipv4':
      return emptyOr(fc.oneof(fc.ipV4(), fc.ipV6()));
    case 'digits':
      return unlessNeeded(name === 'cvv2' ? arbitraryDigits(3, 4) : arbitraryDigits(4, row.maxLength));
    case 'enum':
      if (name === 'scheduleType') return emptyOr(fc.constantFrom(...row.values));
      return unlessNeeded(fc.constantFrom(...(name === 'mop' ? MOPS[server] : row.values)));
    case 'text':
      if (name === 'scheduleDate') return fc.integer({ min: 1, max: 31 }).map(String);
      return arbitraryText(row.maxLength).map((text) => (namesTarget(name, operation) ? withInside(text) : text));
  }
}

/** Includes the other spelling of Maestro, which is accepted and sent as the spec has it. */
const MOPS = { NA: SERVER_MOPS.NA, UK: [...SERVER_MOPS.UK, 'MAESTRO'] } as const;

/** Returns whether a field names what is charged, refunded, changed or read. In the lists, no code means all. */
function namesTarget(name: FieldName, operation: OperationName): boolean {
  if (name === 'transactionId' || name === 'batchId') return true;
  return name === 'customerCode' && /^(?:update|delete|getCustomerCodeDetail|process)/.test(operation);
}

function withInside(text: string): string {
  return text.trim() === '' ? 'A10000001' : text;
}

const arbitraryDays = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
});
const arbitraryMoment = fc.oneof(
  arbitraryDays,
  fc
    .tuple(
      arbitraryDays,
      fc.constantFrom('', '.5', '.123', '.1234567'),
      fc.constantFrom('Z', '+00:00', '-08:00', '+14:00', '+05:45'),
    )
    .map(([day, fraction, offset]) => `${day.toISOString().slice(0, 19)}${fraction}${offset}`),
);

const arbitraryAmount = fc
  .tuple(fc.bigInt(0n, 9_999_999_999n), fc.constantFrom('', '.5', '.00', '.01', '.99'))
  .map(([whole, fraction]) => `${whole}${fraction}`);

function arbitraryTotal(operation: OperationName): fc.Arbitrary<string> {
  const sign = operation.includes('Refund') ? '-' : '';
  return arbitraryAmount.map((amount) => sign + (/[1-9]/.test(amount) ? amount : '5.00'));
}

const arbitraryExpiry = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 99 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join('/'));

function arbitraryDigits(least: number, most: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most });
}

/** Fills in what the rules between fields demand, so that no case is discarded. */
function keepPairRules(values: AnyParameters, operation: OperationName): AnyParameters {
  if (values.recurring === true) {
    if (!/[1-9]/.test(textOf(values.amount))) values.amount = '5.00';
    values.beginDate ??= '2026-06-15T10:00:00+02:00';
    values.endDate ??= '2027-06-15T10:00:00+02:00';
    if (textOf(values.scheduleType) === '') values.scheduleType = 'Annually';
  }
  if (OPERATIONS[operation].wire.some((name) => name === 'scheduleDate')) keepSchedule(values);
  for (const [flag, number] of FLAGS) {
    if (values[flag] === true && textOf(values[number]) === '') values[number] = '4222222222222220';
  }
  return values;
}

function keepSchedule(values: AnyParameters): void {
  const day = Number(values.scheduleDate ?? 1);
  // A day alone would have to fit the schedule that is stored.
  if (values.scheduleType === undefined) delete values.scheduleDate;
  else if (values.scheduleType === 'Monthly') values.scheduleDate = String(day);
  else if (values.scheduleType === 'Weekly') values.scheduleDate = String(((day - 1) % 7) + 1);
  else if (values.scheduleDate !== undefined) values.scheduleDate = '';
}

const FLAGS = [
  ['updateAccountNum', 'accountNum'],
  ['updateCreditCardNum', 'creditCardNum'],
] as const;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Text that confuses XML, line ends, regular expressions and encodings. */
const TRAPS = [
  '& < > " \' ]]> &amp; &#13; &nope; <![CDATA[ <![CDATA[x]]> é ß 漢 👩‍👩‍👧 $& $1 \\ \\n %00'.split(' '),
  '${x} __proto__ null true 0 -1 1e3'.split(' '),
  ['<!-- ', '<?xml version="1.0"?>', ' ', '  ', '\t', '\n', '\r', '\r\n', '\n\r', '\u00a0', '\u0085', '\u2028'],
  ['\u3000', '\ufeff', 'e\u0301', '\u{1f600}', '\u{10ffff}', '\ufffd', '\ue000', '\ud7ff', '\u202e', '\u007f'],
].flat();

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TRAPS) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 8 }) },
);

/** Generates text that XML can carry, of at most `longest` UTF-16 units: empty, short or as long as allowed. */
export function arbitraryText(longest: number): fc.Arbitrary<string> {
  const short = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const full = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => `${pieces.join('')}x`.repeat(longest));
  return fc
    .oneof({ weight: 8, arbitrary: short }, { weight: 1, arbitrary: full }, { weight: 1, arbitrary: fc.constant('') })
    .map((text) => cutText(text.replace(NOT_IN_XML, ''), longest));
}

/** Characters that no XML document can hold; the parameters refuse them. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Cuts text without splitting a surrogate pair. */
function cutText(text: string, longest: number): string {
  let cut = '';
  for (const character of text) {
    if (cut.length + character.length > longest) break;
    cut += character;
  }
  return cut;
}
