import { EXIT } from '../../../schemas/errors.ts';
import type { AnyAnswer } from '../../gateway/client-answers.ts';

/** Returns the exit status that tells a script the result of a call. */
export function answerStatus(answer: AnyAnswer): number {
  switch (answer.kind) {
    case 'approved':
    case 'accepted':
      return EXIT.ok;
    case 'invalid':
      return EXIT.usage;
    case 'declined':
    case 'failed':
    case 'restricted':
      return EXIT.invalid;
    case 'unknown':
      return EXIT.unknownOpen;
    case 'not_sent':
      return EXIT.exception;
  }
}
