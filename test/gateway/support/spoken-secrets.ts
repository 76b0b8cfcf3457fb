import type { AnyAnswer } from '../../../src/gateway/client-answers.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import { CANARIES } from './cases.ts';
import { sampleParameters, SECURITY_CODE } from './sample-parameters.ts';

/** The secrets that the request of `sampleParameters` carries, as they stand in it. */
export function secretsOf(operation: OperationName): string[] {
  const values = Object.values(sampleParameters(operation));
  const numbers = [CANARIES.card, CANARIES.account, SECURITY_CODE].filter((secret) => values.includes(secret));
  return [CANARIES.password, ...numbers];
}

/**
 * Secrets that an answer repeats. A security code is part of many ids by chance, so it counts as a whole text only where
 * ids are shown. A result file is handed through as the service made it, and is bytes, not text.
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
