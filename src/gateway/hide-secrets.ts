import { FIELDS, type FieldName } from '../../schemas/fields.ts';
import type { WireValues } from '../../schemas/parameters.ts';
import { holdsCardNumber, maskText } from '../kernel/mask.ts';
import { createScrub, type Scrub } from './scrub.ts';
import type { Login } from './soap/build-request.ts';

/** What one call knows and nobody else may: keeps it out of errors, transcripts and results. */
export type HiddenSecrets = Scrub & {
  /** What stands in for the login and the values in a request that is only shown. */
  readonly shownLogin: Login;
  readonly shownValues: WireValues;
  /**
   * Whether an id or another short text of an answer repeats a secret, or is a card number of whoever; such an answer is
   * not the service's own. A customer code of the caller's choice may look like one.
   */
  isEcho(text: string): boolean;
};

/** @param values those of the request, with the batch file in base64 */
export function hideSecrets(login: Login, values: WireValues): HiddenSecrets {
  const secrets = listSecrets(login, values);
  const scrub = createScrub(login, Buffer.from(listTexts(values).join('\n')));
  const remove = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
  return {
    shownLogin: { agentCode: REMOVED, password: REMOVED },
    shownValues: showValues(values, remove),
    isEcho: (text) =>
      secrets.some((secret) => (secret.length < SHORT_SECRET ? text === secret : text.includes(secret))) ||
      (text !== values.customerCode && holdsCardNumber(text)),
    text: (text) => scrub.text(remove(text)),
    answer: (body) => scrub.answer(Buffer.from(remove(fromResponse(body).toString('utf8')))),
  };
}

const REMOVED = '[removed]';

/** A security code or short password is part of many ids by chance. */
const SHORT_SECRET = 7;

function listSecrets(login: Login, values: WireValues): string[] {
  const fields = entriesOf(values).filter(([name, value]) => isSecret(name) && value !== '');
  const secrets = [login.password, ...fields.map(([, value]) => value)];
  // The longer one first, because the shorter may be a part of it.
  return secrets.sort((one, other) => other.length - one.length);
}

/** All texts that an answer could repeat; of the batch file the rows, because the file itself is nowhere shown. */
function listTexts(values: WireValues): string[] {
  return entriesOf(values).map(([name, value]) =>
    name === 'batchFile' ? Buffer.from(value, 'base64').toString('utf8') : value,
  );
}

/** A comment may hold a card number as well, so free text is masked. */
function showValues(values: WireValues, remove: (text: string) => string): WireValues {
  const shown = entriesOf(values).map(([name, value]): [FieldName, string] => {
    if (isSecret(name)) return [name, value === '' ? '' : REMOVED];
    return [name, FIELDS[name].kind === 'text' ? maskText(remove(value)) : value];
  });
  return Object.fromEntries(shown);
}

/** Only the begin of an answer is shown, and the envelope alone would fill it. */
function fromResponse(body: Buffer): Buffer {
  return body.subarray(Math.max(0, body.indexOf('<IATSRESPONSE')));
}

function isSecret(name: FieldName): boolean {
  return 'secret' in FIELDS[name];
}

function entriesOf(values: WireValues): [FieldName, string][] {
  return Object.entries(values) as [FieldName, string][];
}
