import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';

type Names = { readonly required: readonly FieldName[]; readonly optional: readonly FieldName[] };

/** Returns the parameters of an operation. Those that the spec leaves unstated count as optional. */
export function parametersOf(operation: OperationName): Names {
  const { required, optional, unstated }: Names & { unstated: readonly FieldName[] } = OPERATIONS[operation];
  return { required, optional: [...optional, ...unstated] };
}

/** Returns the parameters that are never typed on a command line, required ones first. */
export function secretsOf(operation: OperationName): readonly FieldName[] {
  const { required, optional } = parametersOf(operation);
  return [...required, ...optional].filter(isSecret);
}

/** Returns whether a parameter is secret. A batch file does not count, because the user types its path. */
export function isSecret(name: FieldName): boolean {
  return 'secret' in FIELDS[name] && FIELDS[name].kind !== 'base64';
}

/** Returns the environment variable of a secret: PAYDROP_CREDIT_CARD_NUM for `creditCardNum`. */
export function environmentName(name: FieldName): string {
  return `PAYDROP_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** Returns whether the operation charges a card without carrying the method of payment; it may be given for the check. */
export function takesMopBeside(operation: OperationName): boolean {
  return carries(operation, 'cvv2') && !carries(operation, 'mop');
}

/** Returns whether currency and method of payment are compared at all. */
export function comparesCurrency(operation: OperationName): boolean {
  return carries(operation, 'mop') || takesMopBeside(operation);
}

function carries(operation: OperationName, field: FieldName): boolean {
  return OPERATIONS[operation].wire.some((name) => name === field);
}
