import type { FieldName } from '../../../schemas/fields.ts';
import { maskNumber } from '../batch/mask-number.ts';
import { type Payer, payerOfRecord } from '../books/payer.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import type { Parameters } from '../soap/read-parameters.ts';

export type PaidWith = {
  readonly kind: PaymentKind;
  readonly number: string;
  /** The element that carries the expiry. */
  readonly expiry: FieldName;
  /** The charged record, if any. It says who pays; the call does not. */
  readonly record: Customer | undefined;
};

/** Returns who pays for a single charge, and with what. The comment is always that of the call. */
export function payerOfCall(parameters: Parameters, { kind, number, expiry, record }: PaidWith): Payer {
  const textOf = (name: FieldName) => parameters.text(name)?.trim() ?? '';
  const comment = textOf('comment');
  if (record) return { ...payerOfRecord(record), comment };
  return {
    firstName: textOf('firstName'),
    lastName: textOf('lastName'),
    payment: textOf(kind === 'card' ? 'mop' : 'accountType'),
    shownNumber: maskNumber(number),
    expiry: kind === 'card' ? textOf(expiry) : '',
    comment,
  };
}
