import { saidCode } from '../../schemas/errors.ts';
import { groupDigits, groupedCount } from '../kernel/counted.ts';
import { formatCents } from '../kernel/money.ts';
import type { ProposedVersion } from '../ledger/profile/move-profile.ts';
import type { Facts } from './action.ts';
import { shortHash } from './subject-words.ts';

/** Formats the recorded evidence of a proposal for a person. */
export function evidenceFacts(evidence: Readonly<Record<string, unknown>>): Facts {
  return Object.entries(evidence).flatMap(([name, value]) => {
    const fact = FACTS[name]?.(value);
    return fact === undefined ? [] : [fact];
  });
}

type Writer = (value: unknown) => readonly [name: string, value: string] | undefined;

/** Keyed by the names that the moves use. Evidence for programs only is left out. */
const FACTS: Readonly<Record<string, Writer>> = {
  evidence: (value) => (typeof value === 'string' ? ['Evidence', value] : undefined),
  batchId: (value) => (typeof value === 'string' ? ['Batch id that matches', value] : undefined),
  resultSha256: (value) => (typeof value === 'string' ? ['SHA-256 of its result', shortHash(value)] : undefined),
  sha256: (value) => (typeof value === 'string' ? ['SHA-256 of the report', shortHash(value)] : undefined),
  sample: (value) => {
    const { rows, cents } = value as ProposedVersion['sample'];
    return ['Sample', `${groupedCount(rows, 'row')}, ${groupDigits(formatCents(cents))}`];
  },
  changes: (value) => {
    const lines = value as ProposedVersion['changes'];
    return lines.length === 0 ? undefined : ['Changes', lines.join('; ')];
  },
  overrides: (value) => {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return ['Needs approval because', value.map((code) => saidCode(String(code))).join('; ')];
  },
};
