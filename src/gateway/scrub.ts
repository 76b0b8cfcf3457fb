import { holdsCardNumber, maskText } from '../kernel/mask.ts';
import { isBatchId } from './batch-fields.ts';
import type { Login } from './soap/build-request.ts';

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
const LOOKED_AT = 20_000;
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
    text: (text) => cleanBegin(text.slice(0, LOOKED_AT), text.length > LOOKED_AT).slice(0, SHOWN_CHARACTERS),
    answer: (bytes) => {
      const shown = cleanBegin(bytes.subarray(0, LOOKED_AT).toString('utf8'), bytes.length > LOOKED_AT);
      return (nameBatchId(bytes, login, body) + shown).slice(0, SHOWN_CHARACTERS);
    },
  };
}

/** Shorter cells are part of too many words. */
const SHORTEST_CELL = 4;

function removeRows(text: string, body: Uint8Array): string {
  const rows = listRows(body);
  const cells = rows.flatMap((row) => row.split(',')).filter((cell) => cell.length >= SHORTEST_CELL);
  return [...rows, ...new Set(cells)].flatMap((secret) => [secret, escapeMarkup(secret)]).reduce(removeAll, text);
}

/** Removes the longer one first, because the shorter may be part of it. */
function removeLogin(text: string, login: Login): string {
  return [login.password, login.agentCode]
    .sort((one, other) => other.length - one.length)
    .flatMap((secret) => [secret, escapeMarkup(secret), encodePercent(secret), ...encodeBase64(secret)])
    .reduce(removeAll, text);
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

const REMOVED = '[removed]';

function removeAll(text: string, secret: string): string {
  return text.replaceAll(secret, REMOVED);
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
