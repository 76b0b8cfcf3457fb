import { LAYOUTS } from '../../../schemas/layouts.ts';
import type { App } from '../../app.ts';
import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import { effectOf } from '../../csv/check/fault-effect.ts';
import type { Folder } from '../../config/config.ts';
import { maskName } from '../../kernel/mask.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Fault } from '../../rows/rows.ts';
import type { Preview } from '../../explain/validate/preview-verdict.ts';
import { faultCells } from '../../reconcile/outputs/acknowledgement.ts';
import { groupDigits, groupedCount } from '../parts/words.tsx';
import { MOST_FAULTS } from './check-upload.ts';
import { describeTaking } from './describe-taking.ts';
import { tellKind } from './file-kind.ts';

/** What the check found; `later` for an encrypted file, which only the intake reads. */
export type Looked = { readonly head: Uint8Array } & (
  | Preview
  | { readonly decision: 'later'; readonly bytes: number; readonly sha256: string }
);

export type VerdictWord = 'accept' | 'hold' | 'reject' | 'later';

/** The answer to a check, for a page and for programs. Texts are for people; no card or account number is complete. */
export type Verdict = {
  readonly name: string;
  readonly folder: string;
  readonly verdict: VerdictWord;
  /** One line; `says` has the reason. */
  readonly title: string;
  readonly says: string;
  readonly code: string | null;
  /** The earlier file with the same bytes or rows. */
  readonly duplicateOf: string | null;
  readonly bytes: number;
  readonly sha256: string;
  /** Null for a file that was not read as rows. */
  readonly rows: Figures | null;
  readonly faults: readonly ShownFault[];
  readonly faultCount: number;
  /** What happens to it when it is dropped. */
  readonly taking: string;
};

type Figures = {
  readonly records: number;
  readonly valid: number;
  readonly withheld: number;
  readonly totalCents: number;
  readonly total: string;
  readonly currency: string;
  readonly layout: string | null;
};

export type ShownFault = {
  readonly line: number | null;
  readonly column: string;
  readonly code: string;
  readonly effect: string;
  readonly means: string;
  readonly value: string;
  readonly mend: string;
};

export function toVerdict(app: App, folder: Folder, name: string, looked: Looked): Verdict {
  const about = { name: maskName(name), folder: folder.id, taking: describeTaking(app, folder) };
  if (looked.decision === 'later') {
    const { bytes, sha256 } = looked;
    const none = { code: null, duplicateOf: null, rows: null, faults: [], faultCount: 0 };
    return { ...about, verdict: 'later', ...WORDS.later, bytes, sha256, ...none };
  }
  const { check, decision, faults, faultCount, head } = looked;
  const why = decision.verdict === 'accept' ? undefined : decision;
  return {
    ...about,
    verdict: decision.verdict,
    title: WORDS[decision.verdict].title,
    says: why ? sayWhy(why.reason, decision.verdict === 'reject' ? head : undefined) : sayAccepted(check.invalid.rows),
    code: why?.code ?? null,
    duplicateOf: why?.duplicateOf ?? null,
    bytes: check.bytes,
    sha256: check.sha256,
    rows: check.records === 0 ? null : figuresOf(check, app.account(folder.account).currency),
    faults: faults.slice(0, MOST_FAULTS).map((fault) => showFault(fault, folder)),
    faultCount,
  };
}

function figuresOf({ records, valid, invalid, layout }: FileCheck, currency: string): Figures {
  return {
    records,
    valid: valid.rows,
    withheld: invalid.rows,
    totalCents: valid.cents,
    total: groupDigits(formatCents(valid.cents)),
    currency,
    layout: layout && LAYOUTS[layout].title,
  };
}

const WORDS: Readonly<Record<VerdictWord, { title: string; says: string }>> = {
  accept: { title: 'Would be accepted', says: '' },
  hold: { title: 'Would be held', says: '' },
  reject: { title: 'Would be refused', says: '' },
  later: { title: 'Encrypted', says: 'Encrypted files are checked when they are dropped.' },
};

function sayAccepted(withheld: number): string {
  if (withheld === 0) return 'Every row passed every check.';
  return `${groupedCount(withheld, 'row')} would be withheld, the others sent.`;
}

function sayWhy(reason: string, head: Uint8Array | undefined): string {
  const kind = head && tellKind(head);
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  return kind ? `This is ${kind.is}. ${kind.advice} ${sentence}` : sentence;
}

function showFault(fault: Fault, folder: Folder): ShownFault {
  const [, column = '', code = '', effect = '', means = '', value = '', mend = ''] = faultCells(
    fault,
    effectOf(fault.code, folder),
  );
  return { line: fault.line === 0 ? null : fault.line, column, code, effect, means, value, mend };
}
