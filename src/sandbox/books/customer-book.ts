import { shownEnd } from '../batch/mask-number.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import type { StoredCustomer } from './book-row.ts';
import type { BookSecret } from './book-secret.ts';

export type CustomerBook = ReturnType<typeof keepCustomers>;

/** Keeps the stored customer records, which stay sealed until requested. */
export function keepCustomers(secret: BookSecret, firstSerial: number) {
  const stored = new Map<string, StoredCustomer>();
  let lastSerial = firstSerial - 1;
  const keyOf = (account: string, code: string) => secret.keyOf(customerKeyOf(account, code));
  const open = ({ sealed, key }: StoredCustomer) =>
    JSON.parse(secret.unseal(sealed, ownerOf(key)).toString('utf8')) as Customer;

  return {
    find: (account: string, code: string): Customer | undefined => {
      const found = stored.get(keyOf(account, code));
      return found && open(found);
    },
    /** Returns how a record pays, without opening it, so that a long batch can check every row. */
    paymentOf: (account: string, code: string): PaymentKind | undefined => stored.get(keyOf(account, code))?.payment,
    /** Lists the records of one account, oldest first. */
    list: (account: string): readonly Customer[] =>
      [...stored.values()].filter((customer) => customer.account === account).map(open),
    size: (): number => stored.size,
    /**
     * Returns some records of all accounts, newest first.
     * @param skip how many newer ones are left out
     */
    page: (skip: number, most: number): readonly { readonly account: string; readonly record: Customer }[] => {
      const newest = [...stored.values()].reverse().slice(skip, skip + most);
      return newest.map((customer) => ({ account: customer.account, record: open(customer) }));
    },
    /** Returns `A` and eight digits; no code is issued twice, even after its record was deleted. */
    nextCode: (account: string): string => {
      let serial = lastSerial + 1;
      while (stored.has(keyOf(account, codeOf(serial)))) serial += 1;
      return codeOf(serial);
    },
    /** @param changedAt ISO 8601 in UTC */
    seal: (account: string, record: Customer, changedAt: string): StoredCustomer => {
      const key = keyOf(account, record.code);
      return {
        key,
        account,
        payment: record.kind,
        lastFour: shownEnd(record.number),
        serial: serialOf(record.code, firstSerial),
        ...(record.schedule.recurring ? { scheduledFrom: changedAt } : {}),
        sealed: secret.seal(Buffer.from(JSON.stringify(record)), ownerOf(key)),
      };
    },
    open,
    keyOf,
    keep: (customer: StoredCustomer): void => {
      stored.set(customer.key, customer);
      lastSerial = Math.max(lastSerial, customer.serial);
    },
    forget: (key: string): void => void stored.delete(key),
  };
}

/** Returns the parts of the key of a record. */
export function customerKeyOf(account: string, code: string): readonly string[] {
  return ['customer', account, code];
}

/** A client's code that merely looks generated must not use up the codes after it. */
const MOST_SERIALS = 9_999_999;

/** Returns the code of a record that was not given one. */
export function codeOf(serial: number): string {
  return `A${String(serial).padStart(8, '0')}`;
}

function serialOf(code: string, firstSerial: number): number {
  const serial = Number(/^A(\d{8})$/.exec(code)?.[1] ?? 0);
  return serial >= firstSerial + MOST_SERIALS ? 0 : serial;
}

function ownerOf(key: string): string {
  return `customer ${key}`;
}
