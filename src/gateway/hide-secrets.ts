import { type CallValues, isSecret, type WireField, wireKind } from '../../schemas/wire.ts';
import { holdsCardNumber, maskText } from '../kernel/mask.ts';
import { createScrub, type Scrub } from './scrub.ts';
import type { Login } from './soap/build-request.ts';

/** What one call knows and nobody else may: keeps it out of errors, transcripts and results. */
export type HiddenSecrets = Scrub & {
  /** What stands in for the login and the values in a request that is only shown. */
  readonly shownLogin: Login;
  readonly shownValues: CallValues;
  /**
   * Whether an id or another short text of an answer repeats a secret, is a card number of whoever, or is too long for
   * what it shall be; such an answer is not the service's own. A customer code of the caller's choice may look like one.
   */
  isEcho(text: string): boolean;
  /** The data of a read without the secrets in its texts; a short one stays, because it is part of many words. */
  data<Data>(data: Data): Data;
};

/** @param values those of the request, with the batch file in base64 */
export function hideSecrets(login: Login, values: CallValues): HiddenSecrets {
  const secrets = listSecrets(login, values);
  const longSecrets = secrets.filter((secret) => secret.length >= SHORT_SECRET);
  const scrub = createScrub(login, Buffer.from(listTexts(values).join('\n')));
  const remove = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
  return {
    shownLogin: { agentCode: REMOVED, password: REMOVED },
    shownValues: showValues(values, remove),
    isEcho: (text) =>
      text.length > LONGEST_ID ||
      secrets.some((secret) => (secret.length < SHORT_SECRET ? text === secret : text.includes(secret))) ||
      (text !== values.customerCode && holdsCardNumber(text)),
    data: (data) =>
      mapTexts(data, (text) => longSecrets.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text)),
    text: (text) => scrub.text(remove(text.slice(0, LOOKED_AT))),
    answer: (body) => scrub.answer(Buffer.from(remove(fromResponse(body).toString('utf8', 0, LOOKED_AT)))),
  };
}

const REMOVED = '[removed]';

/** Ids, codes and days of the service have at most 40 characters. */
const LONGEST_ID = 200;

/** Characters of an answer looked at; far more than are shown of it. */
const LOOKED_AT = 100_000;

/** A security code or short password is part of many ids by chance. */
const SHORT_SECRET = 7;

function listSecrets(login: Login, values: CallValues): string[] {
  const fields = entriesOf(values).filter(([name, value]) => isSecret(name) && value !== '');
  const secrets = [login.password, ...fields.map(([, value]) => value)];
  // The longer one first, because the shorter may be a part of it.
  return secrets.sort((one, other) => other.length - one.length);
}

/** All texts that an answer could repeat; of the batch file the rows, because the file itself is nowhere shown. */
function listTexts(values: CallValues): string[] {
  return entriesOf(values).map(([name, value]) =>
    name === 'batchFile' ? Buffer.from(value, 'base64').toString('utf8') : value,
  );
}

/** A comment may hold a card number as well, so free text is masked. */
function showValues(values: CallValues, remove: (text: string) => string): CallValues {
  const shown = entriesOf(values).map(([name, value]): [WireField, string] => {
    if (isSecret(name)) return [name, value === '' ? '' : REMOVED];
    return [name, wireKind(name) === 'text' ? maskText(remove(value)) : value];
  });
  return Object.fromEntries(shown);
}

function mapTexts<Data>(data: Data, change: (text: string) => string): Data {
  const map = (value: unknown): unknown => {
    if (typeof value === 'string') return change(value);
    if (Array.isArray(value)) return value.map(map);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, map(inside)]));
  };
  return map(data) as Data;
}

/** Only the begin of an answer is shown, and the envelope alone would fill it. */
function fromResponse(body: Buffer): Buffer {
  return body.subarray(Math.max(0, body.indexOf('<IATSRESPONSE')));
}

function entriesOf(values: CallValues): [WireField, string][] {
  return Object.entries(values) as [WireField, string][];
}
