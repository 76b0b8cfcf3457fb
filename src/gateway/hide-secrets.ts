import { type CallValues, isSecret, type WireField, wireKind } from '../../schemas/wire.ts';
import { holdsCardNumber, maskText } from '../kernel/mask.ts';
import { createScrub, type Scrub } from './scrub.ts';
import type { Login } from './soap/build-request.ts';

/** The secrets of one call, kept out of errors, transcripts and results. */
export type HiddenSecrets = Scrub & {
  /** Stand-ins for the login and values in a request that is only shown. */
  readonly shownLogin: Login;
  readonly shownValues: CallValues;
  /**
   * Returns whether an id or other short text of an answer repeats a secret, holds a card number or is too long. Such
   * an answer is not the service's own. A customer code that the caller chose may look like a card number.
   */
  isEcho(text: string): boolean;
  /** Removes the secrets from the data of a read. Short ones stay, because they are part of many words. */
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

/** The service's ids, codes and dates have at most 40 characters. */
const LONGEST_ID = 200;

/** Characters of an answer that are searched; far more than are shown. */
const LOOKED_AT = 100_000;

/** A shorter secret, such as a security code, is part of many ids by chance. */
const SHORT_SECRET = 7;

function listSecrets(login: Login, values: CallValues): string[] {
  const fields = entriesOf(values).filter(([name, value]) => isSecret(name) && value !== '');
  const secrets = [login.password, ...fields.map(([, value]) => value)];
  // Longest first, because a shorter one may be part of it.
  return secrets.sort((one, other) => other.length - one.length);
}

/** Lists all texts that an answer could repeat. The batch file counts as its rows, because the file is never shown. */
function listTexts(values: CallValues): string[] {
  return entriesOf(values).map(([name, value]) =>
    name === 'batchFile' ? Buffer.from(value, 'base64').toString('utf8') : value,
  );
}

/** Masks free text as well, because a comment may hold a card number. */
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

/** Skips the envelope, which alone would fill the part of the answer that is shown. */
function fromResponse(body: Buffer): Buffer {
  return body.subarray(Math.max(0, body.indexOf('<IATSRESPONSE')));
}

function entriesOf(values: CallValues): [WireField, string][] {
  return Object.entries(values) as [WireField, string][];
}
