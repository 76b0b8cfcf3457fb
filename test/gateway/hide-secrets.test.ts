import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { createScrub, hideSecrets } from '../../src/gateway/hide-secrets.ts';
import {
  ALL_OPERATIONS,
  BODY,
  callOn,
  CANARIES,
  ROWS,
  sampleParameters,
  SECRETS,
  SECURITY_CODE,
} from './support/call.ts';
import { httpAnswer } from './support/scripted-server.ts';
import { ACCEPTED, answerOf, batchResult, failure, success, WAIT } from './support/soap-answers.ts';
import { closeServers, script, submit } from './support/submit.ts';
import type { TranscriptEntry } from '../../src/gateway/exchange.ts';
import { wireName } from '../../schemas/wsdl.ts';

const login = { agentCode: CANARIES.agentCode, password: CANARIES.password };
const values = {
  customerCode: 'A10000001',
  firstName: CANARIES.name,
  creditCardNum: CANARIES.card,
  cvv2: '917',
  total: '5.00',
  comment: `card 4111111111111111, code 917, ${CANARIES.password}`,
  fromDate: '2026-06-15T10:00:00.000Z',
};
const secrets = hideSecrets(login, values);

describe('hideSecrets', () => {
  it('shows a request without login, numbers and codes, also those in free text', () => {
    expect(secrets.shownLogin).toEqual({ agentCode: '[removed]', password: '[removed]' });
    expect(secrets.shownValues).toEqual({
      customerCode: 'A****0001',
      firstName: CANARIES.name,
      creditCardNum: '[removed]',
      cvv2: '[removed]',
      total: '5.00',
      comment: 'card ************1111, code [removed], [removed]',
      fromDate: '2026-06-15T10:00:00.000Z',
    });
  });

  it('shows nothing of a batch file and removes its rows from texts', () => {
    const batch = hideSecrets(login, { batchFile: BODY.toString('base64') });
    expect(batch.shownValues).toEqual({ batchFile: '[removed]' });
    expect(batch.text(`row ${CANARIES.name} and ${CANARIES.account}`)).toBe('row [removed] and [removed]');
  });

  it.each([
    ['Bad request.', 'Bad request.'],
    [`card ${CANARIES.card} with 917`, 'card [removed] with [removed]'],
    [`${CANARIES.name}: ${CANARIES.agentCode} ${CANARIES.password}`, '[removed]: [removed] [removed]'],
  ])('makes the text %s safe', (text, shown) => {
    expect(secrets.text(text)).toBe(shown);
  });

  it('removes secrets from data, but for short ones, which are part of many words', () => {
    const data = { customers: [{ firstName: `a${CANARIES.password}b`, phone: '917', payment: null }] };
    const shown = { customers: [{ firstName: 'a[removed]b', phone: '917', payment: null }] };
    expect(secrets.data(data)).toEqual(shown);
    expect(secrets.data({ csv: CANARIES.card })).toEqual({ csv: '[removed]' });
  });

  it('bears texts and answers of millions of digits', () => {
    for (const text of ['1'.repeat(4_000_000), '1 '.repeat(2_000_000), 'a'.repeat(4_000_000)]) {
      expect(secrets.text(text).length).toBeLessThanOrEqual(300);
      expect(secrets.answer(Buffer.from(text)).length).toBeLessThanOrEqual(300);
      expect(secrets.isEcho(text)).toBe(true);
    }
  });

  it('shows an answer from its inside on', () => {
    const answer = secrets.answer(Buffer.from(`<Envelope><IATSRESPONSE><X>${CANARIES.card}</X></IATSRESPONSE>`));
    expect(answer).toBe('<IATSRESPONSE><X>[removed]</X></IATSRESPONSE>');
    expect(secrets.answer(Buffer.from('<html>917</html>'))).toBe('<html>[removed]</html>');
  });

  it('knows an echo, and does not take a code within an id for one', () => {
    expect(['917', `x${CANARIES.card}`, CANARIES.password].map(secrets.isEcho)).toEqual([true, true, true]);
    expect(secrets.isEcho('4111111111111111')).toBe(true);
    expect(hideSecrets(login, { customerCode: '4111111111111111' }).isEcho('4111111111111111')).toBe(false);
    expect(['A9000917', 'A10000001', ''].map(secrets.isEcho)).toEqual([false, false, false]);
    expect(['A'.repeat(200), 'A'.repeat(201)].map(secrets.isEcho)).toEqual([false, true]);
  });
});

const scrub = createScrub(login, BODY);

describe('createScrub text', () => {
  it.each([
    ['a plain text', 'Bad request.', 'Bad request.'],
    ['the login', `user ${CANARIES.agentCode} with ${CANARIES.password}!`, 'user [removed] with [removed]!'],
    ['the login in markup', 'p&amp;ss&lt;CANARY&gt;"word', '[removed]'],
    ['the login in an address', `?p=${encodeURIComponent(CANARIES.password)}&q`, '?p=[removed]&q'],
    ['the login in base64', `x ${Buffer.from(CANARIES.password).toString('base64')} x`, 'x [removed] x'],
    ['a row', `row 2: ${ROWS[1]}.`, 'row 2: [removed].'],
    ['a cell', `no such name: ${CANARIES.name}`, 'no such name: [removed]'],
    ['a card number that was not sent', 'card 4111 1111 1111 1111', 'card **** **** **** 1111'],
    ['base64', `x ${'QUJD'.repeat(10)}== x`, 'x [removed] x'],
    ['base64 in lines', `x ${'QUJD'.repeat(15)}\r\nQUJDRA==\r\n</x>`, 'x [removed] </x>'],
    ['short words of base64 letters', 'Server Error at ProcessLinkv2', 'Server Error at ProcessLinkv2'],
    ['control characters', 'a\u001b[31mb\u0000\r\n c', 'a [31mb c'],
  ])('is safe with %s', (_what, text, shown) => {
    expect(scrub.text(text)).toBe(shown);
  });

  it('bears a text of millions of characters, and looks at its begin only', () => {
    const scrub = createScrub({ agentCode: 'TEST88', password: 'secret-88' });
    for (const piece of ['1 ', '1', 'x', 'a-', '\r\n']) {
      expect(scrub.text(piece.repeat(2_000_000)).length).toBeLessThanOrEqual(300);
    }
  });

  it('shows at most 300 characters', () => {
    expect(scrub.text('x y '.repeat(200))).toHaveLength(300);
  });

  it('bears a login with half a character pair', () => {
    expect(createScrub({ agentCode: 'a\ud800', password: 'b' }).text('xyz')).toBe('xyz');
  });

  it('removes a password that holds the agent code as a whole', () => {
    expect(createScrub({ agentCode: 'TEST', password: 'TEST88' }).text('TEST88 TEST')).toBe('[removed] [removed]');
  });
});

describe('createScrub answer', () => {
  it('names a batch id first and unmasked, wherever in the answer it stands', () => {
    const answer = scrub.answer(Buffer.from(`${'<p> x</p>'.repeat(9000)}<BATCHID> 1000001 </BATCHID>`));
    expect(answer).toMatch(/^BATCHID 1000001: <p> x<\/p>/);
    expect(answer.length).toBeLessThanOrEqual(300);
  });

  it.each([CANARIES.card, CANARIES.account, CANARIES.agentCode, 'INV-9001', 'a b'])(
    'does not name %s as a batch id',
    (id) => {
      expect(scrub.answer(Buffer.from(`<BATCHID>${id}</BATCHID>`))).not.toContain(`BATCHID ${id}`);
    },
  );

  it('shows no half of a secret at the place where it stops looking', () => {
    const secret = SECRETS.slice(0, 6);
    for (let before = 19_900; before < 20_000; before += 1) {
      const text = Buffer.from(`${'A'.repeat(before)} ${CANARIES.card} ${CANARIES.password}${'B'.repeat(200)}`);
      const shown = scrub.answer(text);
      expect(shown).not.toContain('4222');
      for (const each of secret) expect(shown).not.toContain(each);
    }
  });

  it('bears bytes that are no text', () => {
    expect(scrub.answer(Buffer.from([0xff, 0xfe, 0x00, 0x41]))).toContain('A');
  });
});

afterEach(closeServers);

describe('submitBatch: secrets', () => {
  it.each<[string, (request: string) => Buffer]>([
    ['the request as it came', (request) => httpAnswer(500, request)],
    ['the batch in clear', () => httpAnswer(200, BODY)],
    ['the batch in base64', () => httpAnswer(200, BODY.toString('base64'))],
    ['the batch in base64 lines', () => httpAnswer(400, BODY.toString('base64').replace(/.{60}/g, '$&\r\n'))],
    [
      'the login',
      () =>
        httpAnswer(
          403,
          `${CANARIES.agentCode}:${CANARIES.password} ${Buffer.from(CANARIES.password).toString('base64')}`,
        ),
    ],
    [
      'single cells',
      () => httpAnswer(500, `bad card ${CANARIES.card} of ${CANARIES.name}, account ${CANARIES.account}`),
    ],
    [
      'the batch as an unlisted text',
      () => httpAnswer(200, answerOf('ProcessACHEFTChargeBatch', ACCEPTED.replace(WAIT, BODY.toString()))),
    ],
    ['the card as a batch id', () => httpAnswer(500, `<BATCHID>${CANARIES.card}</BATCHID>`)],
    ['a broken answer', (request) => Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n${request}`)],
    ['a head that is none', (request) => Buffer.from(request)],
  ])('are not in the answer when the service echoes %s', async (_what, echo) => {
    const server = await script({ onRequest: (socket, request) => socket.end(echo(request)) });
    const answer = await submit(server.url);
    expect(answer.kind).toBe('unknown');
    expectNoSecret(answer);
  });

  it('are not in the error when a request cannot be built', async () => {
    const server = await script({});
    const error = await submit(server.url, { body: Buffer.alloc(0) }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expectNoSecret(error);
  });
});

function expectNoSecret(value: unknown): void {
  const shown = `${JSON.stringify(value)}\n${inspect(value, { depth: Infinity, showHidden: true })}`;
  const plain = shown.replaceAll('\\"', '"').replaceAll('\\n', '\n');
  for (const secret of SECRETS) expect(plain).not.toContain(secret);
}

const ALL_SECRETS = [...SECRETS, SECURITY_CODE];
const FROM_CALL: readonly string[] = [CANARIES.account, SECURITY_CODE];
const LEAK = `${CANARIES.card} ${CANARIES.account} ${SECURITY_CODE} ${CANARIES.agentCode} ${BODY.toString('base64')}`;

/** Ways in which a hostile or broken service could echo what it received. */
const ECHOES: readonly [string, (request: string, name: string) => Buffer][] = [
  ['the request', (request) => httpAnswer(200, request.slice(request.indexOf('<?xml')))],
  ['the request with an error', (request) => httpAnswer(500, request)],
  ['half an answer', (request) => Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n${request}`)],
  ['a head that is none', (request) => Buffer.from(request)],
  ['secrets as an error', (_, name) => httpAnswer(200, answerOf(name, failure(LEAK)))],
  ['secrets as a listed error', (_, name) => httpAnswer(200, answerOf(name, success(process(`Error : ${LEAK}`))))],
  [
    'secrets as a batch id',
    (_, name) => httpAnswer(200, answerOf(name, success(batchResult('x', `<BATCHID>${LEAK}</BATCHID>`)))),
  ],
  ...[CANARIES.card, CANARIES.account, SECURITY_CODE].map((secret): [string, (_: string, name: string) => Buffer] => [
    `…${secret.slice(-2)} as a transaction and a customer`,
    (_, name) => httpAnswer(200, answerOf(name, success(process('OK', secret)))),
  ]),
];

describe('createGatewayClient: secrets', () => {
  it.each(ALL_OPERATIONS)('of %s are in no answer and in no transcript', async (operation) => {
    for (const [what, echo] of ECHOES) {
      const entries: TranscriptEntry[] = [];
      const server = await script({
        onRequest: (socket, request) => socket.end(echo(request, wireName(operation))),
      });
      const transcript = (entry: TranscriptEntry) => entries.push(entry);
      const answer = await callOn(server.url, operation, { settings: { transcript } });
      expect(entries.length).toBeGreaterThanOrEqual(2);
      // Only the call that sent it can tell an account number or a security code from an id.
      const sent = withoutPort(JSON.stringify(server.requests), server.url);
      const secrets = ALL_SECRETS.filter((secret) => !FROM_CALL.includes(secret) || sent.includes(secret));
      expectNone([answer, entries], secrets, what, server.url);
    }
  });

  it.each(ALL_OPERATIONS)('of %s are in no fault, whichever field they stand in', async (operation) => {
    for (const value of [CANARIES.password, CANARIES.card.repeat(10), { [CANARIES.card]: CANARIES.card }]) {
      for (const name of Object.keys(sampleParameters(operation))) {
        const parameters = { ...sampleParameters(operation), [name]: value, [CANARIES.card]: value };
        const answer = await callOn('http://127.0.0.1:1', operation, { parameters });
        expect(['invalid', 'restricted']).toContain(answer.kind);
        expectNone([answer], ALL_SECRETS, name);
      }
    }
  });
});

function process(text: string, id = ''): string {
  return `<PROCESSRESULT><AUTHORIZATIONRESULT>${text}</AUTHORIZATIONRESULT><CUSTOMERCODE>${id}</CUSTOMERCODE><TRANSACTIONID>${id}</TRANSACTIONID></PROCESSRESULT>`;
}

/** Removes the port, which may contain the four digits of a security code. */
function withoutPort(text: string, url: string): string {
  return text.replaceAll(`:${new URL(url).port}`, '');
}

function expectNone(values: readonly unknown[], secrets: readonly string[], what: string, url?: string): void {
  const shown = values.map((value) => `${JSON.stringify(value)}\n${inspect(value, { depth: Infinity })}`).join('\n');
  const unescaped = shown.replaceAll('\\"', '"').replaceAll('\\n', '\n');
  const plain = url === undefined ? unescaped : withoutPort(unescaped, url);
  for (const secret of secrets) expect(plain.includes(secret), `${what}: …${secret.slice(-4)}`).toBe(false);
}
