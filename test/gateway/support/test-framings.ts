import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { arbitraryFraming, type Framing } from './broken-framing.ts';
import { ALL_OPERATIONS, callOn } from './call.ts';
import { doubtOf } from './permitted-kinds.ts';
import { startScripted } from './scripted-server.ts';
import { tryProperty } from './seeds.ts';
import { findSpokenSecrets } from './spoken-secrets.ts';
import { type ValidAnswer, validAnswers } from './valid-answers.ts';

/**
 * Whatever arrives around an answer or in its place, the call ends in an answer, even if the bytes never end. It is in
 * doubt unless the answer is whole. A call that may change something is sent once.
 */

const ANSWER_MS = 150;

type Case = { operation: OperationName; answer: ValidAnswer; framing: Framing };

const arbitraryCase: fc.Arbitrary<Case> = fc.constantFrom(...ALL_OPERATIONS).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    answer: fc.constantFrom(...validAnswers(operation)),
    framing: arbitraryFraming,
  }),
);

/** @param runs groups of cases to try, each of up to sixteen at once */
export function testFramings(runs: number): void {
  describe('the HTTP around an answer', { timeout: 300_000 }, () => {
    it('never makes a call more than it is, and never one without an end', async () => {
      const cases = fc.array(arbitraryCase, { minLength: 1, maxLength: 16, size: 'max' });
      const property = fc.asyncProperty(cases, async (together) => {
        await Promise.all(together.map(judge));
      });
      await tryProperty(property, runs);
    });

    it.each([
      ['closed', 'end'],
      ['reset', 'resetAndDestroy'],
    ] as const)(
      'says not sent of a connection that is %s before the request only when nothing was',
      async (_how, end) => {
        for (const operation of ALL_OPERATIONS) {
          const server = await startScripted({ onConnect: (socket) => socket[end]() });
          let requestBytes = 0;
          const { kind } = await callOn(server.url, operation);
          for (const socket of server.connections) requestBytes += socket.bytesRead;
          // Whether the client sees the end before its first byte is a race; `not_sent` proves that nothing arrived.
          if (kind === 'not_sent') expect(requestBytes).toBe(0);
          else expect(kind).toBe(doubtOf(operation));
          await server.close();
        }
      },
    );
  });
}

async function judge({ operation, answer, framing }: Case): Promise<void> {
  const server = await startScripted({ onRequest: (socket) => framing.speak(socket, answer.body) });
  const attempts = OPERATIONS[operation].effect === 'read' ? 3 : 1;
  const start = performance.now();
  const said = await callOn(server.url, operation, { settings: { timeouts: { answerMs: ANSWER_MS } } });
  const tookMs = performance.now() - start;
  await server.close();

  const doubt = doubtOf(operation);
  const permitted = { whole: [answer.kind], doubt: [doubt], either: [answer.kind, doubt] }[framing.isWhole];
  // On a busy machine a whole answer may come too late.
  expect(tookMs > ANSWER_MS ? [...permitted, doubt] : permitted, framing.name).toContain(said.kind);
  expect(findSpokenSecrets(operation, said)).toEqual([]);
  expect(server.requests.length).toBeLessThanOrEqual(attempts);
}
