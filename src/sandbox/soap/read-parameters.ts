import { type WireField, wireKind, type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { readMoment } from './read-moment.ts';

/** The values of one call, by the names of its operation. What was absent is undefined; what was empty is empty. */
export type Parameters = {
  text(name: WireField): string | undefined;
  /** Of a base64 element: the bytes behind it. */
  bytes(name: WireField): Buffer | undefined;
  /** Of a boolean element. */
  flag(name: WireField): boolean | undefined;
  /** Of a dateTime element: the moment it names, in UTC where it names no offset. */
  moment(name: WireField): Date | undefined;
};

/**
 * Reads the typed elements of an operation as ASP.NET does before the operation sees them, so that an unreadable one
 * is a SOAP fault and not an answer.
 * @returns the values, or what could not be read
 */
export function readParameters(
  operation: WireOperation,
  fields: ReadonlyMap<string, string>,
): Parameters | { fault: string } {
  const bytes = new Map<WireField, Buffer>();
  const flags = new Map<WireField, boolean>();
  const moments = new Map<WireField, Date>();
  for (const name of wireRow(operation).elements) {
    const text = fields.get(name);
    const fault = text === undefined ? undefined : readTyped(name, text, { bytes, flags, moments });
    if (fault !== undefined) return { fault: UNREADABLE + fault };
  }
  return {
    text: (name) => fields.get(name),
    bytes: (name) => bytes.get(name),
    flag: (name) => flags.get(name),
    moment: (name) => moments.get(name),
  };
}

const UNREADABLE = 'Server was unable to read request. ---> There is an error in XML document. ---> ';

type Typed = {
  readonly bytes: Map<WireField, Buffer>;
  readonly flags: Map<WireField, boolean>;
  readonly moments: Map<WireField, Date>;
};

/** The sentences are those of .NET without the value, which may be one that nobody should read. */
function readTyped(name: WireField, text: string, { bytes, flags, moments }: Typed): string | undefined {
  switch (wireKind(name)) {
    case 'base64':
      return keep(bytes, name, decodeBase64(text)) ? undefined : 'Invalid length for a Base-64 char array or string.';
    case 'boolean':
      return keep(flags, name, readBoolean(text)) ? undefined : 'The string is not a valid Boolean value.';
    case 'dateTime':
      return keep(moments, name, readMoment(text)) ? undefined : 'The string is not a valid AllXsd value.';
    case 'text':
    case 'decimal':
    case 'digits':
    case 'enum':
    case 'expiry':
    case 'ipv4':
      return undefined;
  }
}

function keep<Value>(values: Map<WireField, Value>, name: WireField, value: Value | undefined): boolean {
  if (value !== undefined) values.set(name, value);
  return value !== undefined;
}

/** Node decodes anything and drops what it does not understand, which would cut a payment file without a word. */
function decodeBase64(text: string): Buffer | undefined {
  const packed = text.replace(/\s+/g, '');
  return packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed) ? Buffer.from(packed, 'base64') : undefined;
}

/** XML Schema knows four spellings, and none with capital letters. */
function readBoolean(text: string): boolean | undefined {
  const word = text.trim();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}
