import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { BODY, CANARIES, SECRETS } from './support/cases.ts';
import { httpAnswer } from './support/scripted-server.ts';
import { ACCEPTED, answerOf, WAIT } from './support/soap-answers.ts';
import { closeServers, script, submit } from './support/submit.ts';

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
