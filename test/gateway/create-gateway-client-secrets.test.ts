import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { TranscriptEntry } from '../../src/gateway/exchange.ts';
import { wireName } from '../../schemas/wsdl.ts';
import { ALL_OPERATIONS, callOn } from './support/call.ts';
import { BODY, CANARIES, SECRETS } from './support/cases.ts';
import { sampleParameters, SECURITY_CODE } from './support/sample-parameters.ts';
import { httpAnswer } from './support/scripted-server.ts';
import { answerOf, batchResult, failure, success } from './support/soap-answers.ts';
import { closeServers, script } from './support/submit.ts';

afterEach(closeServers);

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
