import type { DeedName } from '../../../schemas/desk.ts';
import type { Because } from '../../ledger/moves/move.ts';
import type { BatchRow, FileRow } from '../../ledger/records.ts';
import type { Desk } from '../desk.ts';

/** What a deed is done to, as the address names it. */
export type Subject =
  | { readonly kind: 'file'; readonly file: FileRow }
  | { readonly kind: 'batch'; readonly file: FileRow; readonly batch: BatchRow }
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'proposal'; readonly proposalNo: number }
  | { readonly kind: 'schedule'; readonly schedule: string };
export type SubjectOf<Kind extends Subject['kind']> = Extract<Subject, { kind: Kind }>;

/** A question that the form of a deed asks beside the reason. */
export type Ask = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: 'text' | 'long' | 'choice' | 'file';
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly isRequired?: boolean;
};

/** What would happen, before anything does. */
export type Plan = {
  /** In whole sentences, the most important first. */
  readonly says: readonly string[];
  /** What a person should compare before he goes on. Money is integer cents here and text on the page. */
  readonly facts?: readonly (readonly [name: string, value: string])[];
  /** Whether it only proposes, and another person must confirm. */
  readonly isProposal?: boolean;
};

/** What a person filled in. Values are trimmed; a file is its text. */
export type Filled = Readonly<Record<string, string>>;

export type Done = {
  /** One sentence. */
  readonly says: string;
  /** More, for a person to read. */
  readonly details?: readonly string[];
  /** Where the person goes on; left out, to the subject. */
  readonly path?: string;
  /** The same for a program: ids, states, figures. */
  readonly json: Readonly<Record<string, unknown>>;
};

/** How one deed of schemas/desk.ts is planned and done; the page and the API both go through here. */
export type DeedHandler<Kind extends Subject['kind'] = Subject['kind']> = {
  readonly asks?: readonly Ask[];
  /** States in which it may be done, for the links on the page; left out, always. */
  readonly from?: readonly string[];
  /** Throws PipelineError when it cannot be done as things stand. */
  plan(desk: Desk, subject: SubjectOf<Kind>, actor: string): Promise<Plan>;
  /** Does it, through the moves of the ledger. Throws PipelineError; nothing is changed then. */
  run(desk: Desk, subject: SubjectOf<Kind>, filled: Filled, because: Because): Promise<Done>;
};

/** Deeds that have a page and a handler of their own; `look`, `check`, `drop` and `people` are done elsewhere. */
export type HandledDeed = Exclude<DeedName, 'look' | 'check' | 'drop' | 'people'>;
