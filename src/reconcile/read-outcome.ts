import type { SentOutcome } from '../../schemas/lifecycle.ts';
import type { FolderOperation } from '../../schemas/operations.ts';
import { rejectionOf } from '../../schemas/rejections.ts';

export type RowOutcome = { outcome: SentOutcome; code: number | null; authorization: string };

type Rule = { operations: readonly FolderOperation[]; starts: RegExp; read: (match: RegExpExecArray) => RowOutcome };

const ANY = ['card', 'ach-charge', 'ach-refund'] as const;
const ACH = ['ach-charge', 'ach-refund'] as const;

/**
 * What the messages of a result file mean (F48). The service documents none of them; the words are known from public
 * clients, and a message counts by how it starts. Everything that is not listed here is `unknown`, never a decline: a
 * row that may have been charged must not look as if it had not.
 */
const RULES: readonly Rule[] = [
  { operations: ACH, starts: /^Received\b/, read: () => outcome('accepted_pending') },
  { operations: ['card'], starts: /^OK(?::\s*([^:\s]*))?/, read: (match) => outcome('approved', null, match[1] ?? '') },
  { operations: ANY, starts: /^REJECT:\s*(\d+)\s*$/, read: (match) => readRejection(Number(match[1])) },
  { operations: ANY, starts: /^Wrong Format\b/, read: () => outcome('format_error') },
  { operations: ANY, starts: /^Duplicated\b/, read: () => outcome('duplicate') },
];

/** Outcome of one row of a result file. */
export function readOutcome(operation: FolderOperation, message: string): RowOutcome {
  const text = message.trim();
  for (const rule of RULES) {
    const match = rule.operations.includes(operation) ? rule.starts.exec(text) : null;
    if (match) return rule.read(match);
  }
  return outcome('unknown');
}

/** Codes of which the meaning is "nobody knows", and codes that are not listed, leave the row in doubt. */
function readRejection(code: number): RowOutcome {
  return outcome(rejectionOf(code).advice === 'unknown' ? 'unknown' : 'declined', code);
}

function outcome(name: SentOutcome, code: number | null = null, authorization = ''): RowOutcome {
  return { outcome: name, code, authorization };
}
