import { type WireField, wireKind, type WireOperation, wireRow } from '../../../schemas/wire.ts';

/** The values of one call, by the names of its operation. Absent values are undefined; empty values are empty. */
export type Parameters = {
  text(name: WireField): string | undefined;
  /** Decoded bytes of a base64 element. */
  bytes(name: WireField): Buffer | undefined;
  /** Value of a boolean element. */
  flag(name: WireField): boolean | undefined;
  /** Moment of a dateTime element; without an offset it is UTC. */
  moment(name: WireField): Date | undefined;
};

/**
 * Reads the typed elements of an operation before the operation sees them, as ASP.NET does. So an unreadable value is a
 * SOAP fault and not an answer.
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

/** Returns .NET's sentence for an unreadable value, without the value, which may be secret. */
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

/** Decodes strictly. Node drops what it does not understand, which would silently cut a payment file. */
function decodeBase64(text: string): Buffer | undefined {
  const packed = text.replace(/\s+/g, '');
  return packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed) ? Buffer.from(packed, 'base64') : undefined;
}

/** Reads XML Schema's four spellings, none of which has capitals. */
function readBoolean(text: string): boolean | undefined {
  const word = text.trim();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

/**
 * Reads an XML Schema dateTime, or a bare date, which ASP.NET takes as its midnight. Assumption: without an offset it
 * is UTC.
 * @returns undefined when the text is neither, or names a day or an hour that does not exist
 */
export function readMoment(text: string): Date | undefined {
  const found = MOMENT.exec(text.trim());
  if (!found) return undefined;
  const [, day = '', time = 'T00:00:00', fraction = '', offset = 'Z'] = found;
  const unshifted = new Date(`${day}${time}Z`);
  // JavaScript rolls February 30 over into March.
  if (Number.isNaN(unshifted.getTime()) || unshifted.toISOString().slice(0, 10) !== day) return undefined;
  const moment = new Date(`${day}${time}${fraction.slice(0, 4)}${offset}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d+)?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/;
