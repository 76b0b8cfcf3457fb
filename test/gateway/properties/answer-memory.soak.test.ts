import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import {
  ANSWER_SHAPES,
  closeAnswers,
  LIMIT_MB,
  MB,
  serveAnswer,
  SINGLE_BYTES,
  wholeAnswer,
} from '../support/answer-shapes.ts';
import { answerOf, failure } from '../support/soap-answers.ts';

/**
 * Limit of the memory an answer takes beyond its own size, measured in its own process. Bytes that the client does not
 * read, because they are beyond its limit, do not count as size.
 */

const MOST_MB_BEYOND = 50;
/** Measurements per call: when the collector runs late, the call is measured again. */
const ATTEMPTS = 3;

afterAll(closeAnswers);

describe('the memory that an answer takes', { timeout: 300_000 }, () => {
  it.each(ANSWER_SHAPES)('is bounded for $what', async ({ what, operation, answer, kind, why }) => {
    const bytes = answer();
    const url = await serveAnswer(bytes);
    const size = what.startsWith('each byte') ? SINGLE_BYTES : bytes.length;
    const mostMb = Math.min(size / MB, LIMIT_MB) + MOST_MB_BEYOND;
    let growthMb = Number.POSITIVE_INFINITY;
    for (let attempt = 1; attempt <= ATTEMPTS && growthMb > mostMb; attempt += 1) {
      const measured = await measure(operation, url);
      expect(measured).toMatchObject({ kind, why: expect.stringMatching(why) });
      growthMb = measured.growthMb;
    }
    expect(growthMb).toBeLessThanOrEqual(mostMb);
  });
});

type Measured = { kind: string; why: string; growthMb: number };

async function measure(operation: OperationName, url: string): Promise<Measured> {
  const script = fileURLToPath(new URL('../support/measured-call.ts', import.meta.url));
  const first = await serveAnswer(wholeAnswer(Buffer.from(answerOf(wireName(operation), failure('Server Error')))));
  // With much room the collector runs late, and the garbage is not memory that the call needs.
  const options = ['--expose-gc', '--max-semi-space-size=2', '--import', 'tsx'];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, script, first, url, operation]);
  return JSON.parse(stdout) as Measured;
}
