import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REJECTIONS } from '../../schemas/rejections.ts';
import { RESTRICTION_MESSAGES } from '../../schemas/restrictions.ts';
import { createScrub, hideSecrets } from '../../src/gateway/hide-secrets.ts';
import { removeWhole } from '../../src/gateway/remove-whole.ts';
import { DONE_TEXT, RUNNING_TEXT } from '../../src/gateway/soap/read-batch-fields.ts';

/**
 * The texts of the service stay readable, whatever a payer is called and whatever the short values of a call are, while
 * whole numbers, logins and security codes never show.
 */
const WIRE = new URL('../wire/', import.meta.url).pathname;

/** Elements of the golden answers that hold sentences of the service, and not data of a customer. */
const SENTENCES = /<(?:AUTHORIZATIONRESULT|ERRORS|BATCHPROCESSRESULT|faultstring)>([^<>]{2,200})</g;

const golden = readdirSync(WIRE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('response.xml'))
  .flatMap((path) => [...readFileSync(join(WIRE, path), 'utf8').matchAll(SENTENCES)].map((match) => match[1]!.trim()));

const CORPUS = [
  ...new Set([
    ...golden.filter((text) => !text.startsWith('"')),
    RUNNING_TEXT,
    DONE_TEXT,
    ...Object.values(RESTRICTION_MESSAGES),
    ...Object.keys(REJECTIONS).flatMap((code) => [`REJECT: ${code}`, `REJ: ${code}`]),
    '0Error:Duplicate customer code',
    '0Error:Invalid expiry date',
    '0Error:Invalid credit card number',
    '0Can not find the Customer Code',
    'Error : Invalid Username or Password.',
    'Error : Invalid Batch ID.',
    "Error : The customer code doesn't exist!",
    'Error : No information is returned from App Server.',
    'Object reference not set to an instance of an object.',
    'Bad request.',
    'Server Error',
    'Runtime Error',
    'TIMEOUT',
    'Wrong Format',
    'Duplicated',
    'Received',
    'OK:BankAccept',
    'OK:Reject',
    'Success',
    'Failure',
  ]),
];

const LOGIN = { agentCode: 'TEST88', password: 'secret-88' };
const plain = createScrub(LOGIN);

const NAMES = [
  'Error',
  'Ate',
  'Dupl',
  'Cat',
  'Ada',
  'Invalid',
  'Customer',
  'Code',
  'Card',
  'Bat',
  'Reject',
  'Time',
  'Out',
];
const CITIES = ['Troy', 'Server', 'Duplicate', 'Object', 'Bad', 'Please', 'Bank', 'York', 'Success', 'Wait'];

/** Short values: names, cities, 1 to 3 letters or digits, and numbers that equal codes. */
const shortValue = fc.oneof(
  fc.constantFrom(...NAMES, ...CITIES),
  fc.stringMatching(/^[A-Za-z0-9]{1,3}$/),
  fc.constantFrom(...Object.keys(REJECTIONS)),
);

describe('a text of the service', () => {
  it('is in a corpus of some size', () => {
    expect(golden.length).toBeGreaterThan(50);
    expect(CORPUS.length).toBeGreaterThan(100);
  });

  it.each(CORPUS)('stays as it is beside any short value of a call: %s', (text) => {
    fc.assert(
      fc.property(shortValue, shortValue, shortValue, (firstName, city, cvv2) => {
        const secrets = hideSecrets(LOGIN, { customerCode: 'A10000001', firstName, city, cvv2 });
        expect(secrets.text(text)).toBe(plain.text(text));
      }),
      { numRuns: 60 },
    );
  });

  it.each(CORPUS)('stays as it is beside any batch: %s', (text) => {
    fc.assert(
      fc.property(shortValue, shortValue, shortValue, (invoice, name, city) => {
        const scrub = createScrub(
          LOGIN,
          Buffer.from(`06/15/2026,${invoice},${name},Byron,1 Mill Lane,${city},NY,25.00`),
        );
        expect(scrub.text(text)).toBe(plain.text(text));
      }),
      { numRuns: 60 },
    );
  });
});

describe('removeWhole', () => {
  it.each([
    ['a security code', 'code 917 is wrong', '917', 'code [removed] is wrong'],
    [
      'a security code that equals a rejection, elsewhere',
      'the code 100 is wrong',
      '100',
      'the code [removed] is wrong',
    ],
    ['an account number of four digits', 'account 1234.', '1234', 'account [removed].'],
    ['an account number beside letters', 'acct1234x', '1234', 'acct[removed]x'],
    ['a card number within other digits', '00042222222222222201', '4222222222222220', '000[removed]1'],
    ['an agent code', 'user TEST88:', 'TEST88', 'user [removed]:'],
    ['a long login within a word', 'xAGENTCANARYx', 'AGENTCANARY', 'x[removed]x'],
    ['a short password with signs', 'p a+b!', 'a+b', 'p [removed]!'],
    ['each of several', '917 917,917', '917', '[removed] [removed],[removed]'],
  ])('removes %s', (_what, text, secret, shown) => {
    expect(removeWhole(text, secret, true)).toBe(shown);
  });

  it.each([
    ['letters inside a word', 'Duplicate customer', 'cat'],
    ['a word of the service', 'Error : Invalid', 'Error'],
    ['a phrase of the service', 'Bad request.', 'Bad request'],
    ['digits inside a number', 'A9000917', '917'],
    ['a code inside a longer word', 'A100', '100'],
    ['a listed rejection', 'REJECT: 100', '100'],
    ['one or two characters', '0Error: 12 c', '12'],
  ])('leaves %s', (_what, text, value) => {
    expect(removeWhole(text, value, true)).toBe(text);
  });

  it('removes a name that stands alone and is no word of the service', () => {
    expect(removeWhole('no such name: Byron', 'Byron')).toBe('no such name: [removed]');
    expect(removeWhole('Byronic', 'Byron')).toBe('Byronic');
  });

  it('leaves no whole number, login or security code of a call in any text that repeats it', () => {
    const secret = fc.oneof(
      fc.stringMatching(/^\d{12,19}$/),
      fc.stringMatching(/^[1-9]\d{3,16}$/),
      fc.stringMatching(/^[A-Z]{4}\d{2}$/),
    );
    const joint = fc.constantFrom(' ', ': ', '"', ',', '\n', '=', '/', '(', '>');
    fc.assert(
      fc.property(secret, joint, joint, fc.constantFrom(...CORPUS), (value, before, after, text) => {
        const secrets = hideSecrets({ agentCode: 'AGENT7', password: value }, { creditCardNum: value });
        expect(secrets.text(`${text}${before}${value}${after}${text}`)).not.toContain(value);
      }),
      { numRuns: 300 },
    );
  });
});
