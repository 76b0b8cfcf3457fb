import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import { OPERATIONS, type OperationName } from '../../../schemas/operations.ts';

/** The values of one call, by the names of its operation. What was absent is undefined; what was empty is empty. */
export type Parameters = {
  text(name: FieldName): string | undefined;
  /** Of a base64 element: the bytes behind it. */
  bytes(name: FieldName): Buffer | undefined;
};

/**
 * Reads the typed elements of an operation as ASP.NET does before the operation sees them, so that an unreadable one
 * is a SOAP fault and not an answer.
 * @returns the values, or what could not be read
 */
export function readParameters(
  operation: OperationName,
  fields: ReadonlyMap<string, string>,
): Parameters | { fault: string } {
  const bytes = new Map<FieldName, Buffer>();
  for (const name of OPERATIONS[operation].wire.filter((field) => FIELDS[field].kind === 'base64')) {
    const text = fields.get(name);
    const decoded = text === undefined ? undefined : decodeBase64(text);
    if (text !== undefined && decoded === undefined) return { fault: BAD_BASE64 };
    if (decoded) bytes.set(name, decoded);
  }
  return { text: (name) => fields.get(name), bytes: (name) => bytes.get(name) };
}

const BAD_BASE64 =
  'Server was unable to read request. ---> There is an error in XML document. ---> ' +
  'Invalid length for a Base-64 char array or string.';

/** Node decodes anything and drops what it does not understand, which would cut a payment file without a word. */
function decodeBase64(text: string): Buffer | undefined {
  const packed = text.replace(/\s+/g, '');
  return packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed) ? Buffer.from(packed, 'base64') : undefined;
}
