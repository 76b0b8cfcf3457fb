import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import type { AnyAnswer } from '../../../src/gateway/client-answers.ts';
import { arbitraryGarbage, arbitrarySpoil, type Spoil } from '../support/broken-bodies.ts';
import { arbitraryTwist } from '../support/broken-meaning.ts';
import { ALL_OPERATIONS, callOn } from '../support/call.ts';
import { doubtOf, findSpokenSecrets, namedTransaction, permittedKinds, secretsOf } from '../support/permitted-kinds.ts';
import { httpAnswer, type ScriptedServer, startScripted } from '../support/scripted-server.ts';
import { tryProperty } from '../support/seeds.ts';
import { validAnswers } from '../support/valid-answers.ts';

/**
 * Whatever bytes arrive, a call ends in an answer that says only what a whole answer of its operation states. A charge
 * never counts as done or not done without proof.
 */

/** Runs of each operation, by way of corruption. */
export type BodyRuns = { readonly spoilt: number; readonly twisted: number; readonly garbage: number };

let server: ScriptedServer;
let body: Buffer;

export function testBodies(runs: BodyRuns): void {
  describe('the body of an answer', { timeout: 300_000 }, () => {
    beforeAll(async () => {
      server = await startScripted({ onRequest: (socket) => socket.end(httpAnswer(200, body)) });
    });
    afterAll(() => server.close());

    it.each(ALL_OPERATIONS)('to %s is understood when it is whole', async (operation) => {
      for (const valid of validAnswers(operation)) {
        expect(await answerTo(operation, valid.body)).toMatchObject({ kind: valid.kind });
        expect([...permittedKinds(operation, valid.body)]).toContain(valid.kind);
      }
    });

    it.each(ALL_OPERATIONS)(
      'to %s is never taken for more than it is, however its bytes are spoilt',
      async (operation) => {
        await tryAll(operation, arbitrarySpoil(), runs.spoilt);
      },
    );

    it.each(ALL_OPERATIONS)('to %s is never taken for more than it is, whatever it says', async (operation) => {
      await tryAll(operation, arbitraryTwist(secretsOf(operation)), runs.twisted);
    });

    it.each(ALL_OPERATIONS)('to %s leaves it in doubt when it is garbage', async (operation) => {
      const property = fc.asyncProperty(arbitraryGarbage, async (garbage) => {
        expect((await answerTo(operation, garbage)).kind).toBe(doubtOf(operation));
      });
      await tryProperty(property, runs.garbage);
    });
  });
}

async function tryAll(operation: OperationName, spoils: fc.Arbitrary<Spoil>, numRuns: number): Promise<void> {
  const valid = validAnswers(operation).map((each) => each.body);
  const index = fc.nat({ max: valid.length - 1 });
  const property = fc.asyncProperty(index, spoils, (which, spoil) => judge(operation, spoil(valid[which]!)));
  await tryProperty(property, numRuns);
}

async function judge(operation: OperationName, spoilt: Buffer): Promise<void> {
  const answer = await answerTo(operation, spoilt);
  expect([...permittedKinds(operation, spoilt)]).toContain(answer.kind);
  expect(findSpokenSecrets(operation, answer)).toEqual([]);
  if ((answer.kind === 'approved' || answer.kind === 'accepted') && 'transactionId' in answer.result) {
    const named = namedTransaction(operation, spoilt);
    if (named !== undefined) expect(answer.result.transactionId ?? '').toBe(named);
  }
}

function answerTo(operation: OperationName, bytes: Buffer): Promise<AnyAnswer> {
  body = bytes;
  return callOn(server.url, operation);
}

testBodies({ spoilt: 60, twisted: 90, garbage: 30 });
