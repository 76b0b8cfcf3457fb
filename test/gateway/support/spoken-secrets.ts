import type { AnyAnswer } from '../../../src/gateway/client-answers.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import { CANARIES } from './cases.ts';
import { sampleParameters, SECURITY_CODE } from './sample-parameters.ts';

/** Returns the secrets in the request of `sampleParameters`, as they appear in it. */
export function secretsOf(operation: OperationName): string[] {
  const values = Object.values(sampleParameters(operation));
  const numbers = [CANARIES.card, CANARIES.account, SECURITY_CODE].filter((secret) => values.includes(secret));
  return [CANARIES.password, ...numbers];
}

/**
 * Returns the secrets that an answer repeats. Many ids contain a security code by chance, so where ids are shown only a
 * whole text counts. A result file is bytes passed through unchanged, and is not searched.
 */
export function findSpokenSecrets(operation: OperationName, answer: AnyAnswer): string[] {
  const texts = textsOf(answer);
  const showsIds = answer.kind === 'approved' || answer.kind === 'accepted' || answer.kind === 'declined';
  return secretsOf(operation).filter((secret) =>
    texts.some((text) => (showsIds && secret === SECURITY_CODE ? text === secret : text.includes(secret))),
  );
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.values(value).flatMap(textsOf);
}
