import { type CallValues, isSecret, type WireField, wireKind } from '../../schemas/wire.ts';
import { holdsCardNumber, maskText } from '../kernel/mask.ts';
import { LONG, REMOVED, removeWhole } from './remove-whole.ts';
import type { Login } from './soap/build-request.ts';
import { isBatchId } from './soap/read-batch-fields.ts';

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
  const longSecrets = secrets.filter((secret) => secret.length >= LONG);
  const scrub = createScrub(login, Buffer.from(listTexts(values).join('\n')));
  const remove = (text: string) => secrets.reduce((rest, secret) => removeWhole(rest, secret, true), text);
  return {
    shownLogin: { agentCode: REMOVED, password: REMOVED },
    shownValues: showValues(values, remove),
    isEcho: (text) =>
      text.length > LONGEST_ID ||
      secrets.some((secret) => (secret.length < LONG ? text === secret : text.includes(secret))) ||
      (text !== values.customerCode && holdsCardNumber(text)),
    data: (data) =>
      mapTexts(data, (text) => longSecrets.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text)),
    text: (text) => scrub.text(remove(text.slice(0, LOOKED_AT))),
    answer: (body) => scrub.answer(Buffer.from(remove(fromResponse(body).toString('utf8', 0, LOOKED_AT)))),
  };
}

/** The service's ids, codes and dates have at most 40 characters. */
const LONGEST_ID = 200;

/** Characters of an answer that are searched; far more than are shown. */
const LOOKED_AT = 100_000;

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

/** Makes texts of the service safe to store and show, cut to 300 characters. */
export type Scrub = {
  /** Cleans a text that was read from an answer. */
  text(text: string): string;
  /** Cleans the start of a raw answer. A batch id comes first and unmasked, because a person may assign it. */
  answer(body: Buffer): string;
};

const SHOWN_CHARACTERS = 300;
/**
 * Bytes or characters that are searched: more than are shown, because what is removed may be long. On a huge text the
 * regular expressions would exhaust the stack and throw.
 */
const SCRUBBED = 20_000;
/** Characters dropped at a cut, where half of a secret can no longer be recognized. */
const CUT_MARGIN = 100;

/** @param body the batch that was sent; if the service echoes it, none of its rows or cells may be stored */
export function createScrub(login: Login, body: Uint8Array = new Uint8Array()): Scrub {
  const clean = (text: string) => {
    const bare = removeBase64(removeLogin(removeRows(text, body), login));
    return maskText(bare)
      .replace(/[\s\p{C}]+/gu, ' ')
      .trim();
  };
  const cleanBegin = (begin: string, isCut: boolean) => (isCut ? clean(begin).slice(0, -CUT_MARGIN) : clean(begin));
  return {
    text: (text) => cleanBegin(text.slice(0, SCRUBBED), text.length > SCRUBBED).slice(0, SHOWN_CHARACTERS),
    answer: (bytes) => {
      const shown = cleanBegin(bytes.subarray(0, SCRUBBED).toString('utf8'), bytes.length > SCRUBBED);
      return (nameBatchId(bytes, login, body) + shown).slice(0, SHOWN_CHARACTERS);
    },
  };
}

/** Shorter cells are part of too many words. */
const SHORTEST_CELL = 4;

function removeRows(text: string, body: Uint8Array): string {
  const rows = listRows(body);
  const cells = rows.flatMap((row) => row.split(','));
  return [...rows, ...new Set(cells)]
    .filter((value) => value.length >= SHORTEST_CELL)
    .flatMap((value) => [value, escapeMarkup(value)])
    .reduce((rest, value) => removeWhole(rest, value), text);
}

/** Removes the longer one first, because the shorter may be part of it. */
function removeLogin(text: string, login: Login): string {
  return [login.password, login.agentCode]
    .sort((one, other) => other.length - one.length)
    .flatMap((secret) => [secret, escapeMarkup(secret), encodePercent(secret), ...encodeBase64(secret)])
    .reduce((rest, secret) => removeWhole(rest, secret, true), text);
}

/** Removes runs of 40 or more base64 characters, with the lines below them when the text is broken into lines. */
function removeBase64(text: string): string {
  return text.replace(/[A-Za-z0-9+/_-]{40,}=*(?:(?:[\r\n]|&#xD;|&#xA;)+[A-Za-z0-9+/]+=*(?=[\s&<]|$))*/g, REMOVED);
}

/** Names the batch id. An id that is a cell of the batch or looks like a card number is an echo and stays masked. */
function nameBatchId(bytes: Buffer, login: Login, body: Uint8Array): string {
  const id = /<BATCHID>\s*([^<\s]{1,40})\s*<\/BATCHID>/.exec(bytes.toString('latin1'))?.[1];
  if (id === undefined || !isBatchId(id) || holdsCardNumber(id)) return '';
  const isEcho = removeLogin(id, login) !== id || listRows(body).some((row) => row.split(',').includes(id));
  return isEcho ? '' : `BATCHID ${id}: `;
}

function listRows(body: Uint8Array): string[] {
  const rows = Buffer.from(body)
    .toString('utf8')
    .split(/[\r\n]+/);
  return rows.filter((row) => row !== '');
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Goes through UTF-8, because a lone surrogate would make `encodeURIComponent` throw. */
function encodePercent(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString('utf8'));
}

/** Returns it with and without padding. */
function encodeBase64(text: string): string[] {
  const base64 = Buffer.from(text).toString('base64');
  return [base64, base64.replace(/=+$/, '')];
}
