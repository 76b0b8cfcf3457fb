import type { ActionName, ACTIONS } from '../../../schemas/actions.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import type { ProposalRow } from '../../ledger/proposal/propose.ts';
import type { BatchRow, FileRow } from '../../ledger/engine/records.ts';
import type { WebContext } from '../web-context.ts';

/** The subject of an action, as named in the address. */
export type Subject =
  | { readonly kind: 'file'; readonly file: FileRow }
  | { readonly kind: 'batch'; readonly file: FileRow; readonly batch: BatchRow }
  /** ALL_ACCOUNTS for all of them at once. */
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'proposal'; readonly proposal: ProposalRow; readonly file: FileRow }
  | { readonly kind: 'schedule'; readonly schedule: string };
export type SubjectOf<Kind extends Subject['kind']> = Extract<Subject, { kind: Kind }>;

/** A question that the form of an action asks besides the reason. */
export type Ask = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: 'text' | 'long' | 'choice' | 'file';
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly isRequired?: boolean;
};

/** What the user filled in. Values are trimmed. */
export type Filled = Readonly<Record<string, string>>;

/** Who acts, and with what input. */
export type Input = {
  /** `operator:<person>` */
  readonly actor: string;
  readonly filled: Filled;
  /** Name and bytes of an uploaded file, if the action reads one. They are not trusted. */
  readonly file?: { readonly name: string; readonly bytes: Buffer };
};

/** Money is integer cents and a moment is a Date; the page formats them. */
export type Fact =
  | string
  | { readonly cents: number; readonly currency?: string | undefined }
  | { readonly at: Date; readonly timeZone?: string | undefined };

export type Facts = readonly (readonly [name: string, value: Fact])[];

/** Rows for a person to look at, such as those in which two sides differ. Shows at most a number's last four digits. */
export type Listing = {
  readonly label: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** What would happen, before anything is done. Leaves out what changes by itself, such as how long something waits. */
export type Plan = {
  /** Whole sentences, the most important first. */
  readonly says: readonly string[];
  /** What a person should compare before continuing. */
  readonly facts?: Facts;
  readonly listing?: Listing | undefined;
  /** Button text instead of the action's label: "Approve 240 rows, 12,340.00 USD". */
  readonly button?: string;
  /** Whether this only proposes, and another person must confirm. */
  readonly isProposal?: boolean;
  /** Why it cannot be done after all, when a listing shows the reason better than an error. */
  readonly barred?: string;
};

export type Done = {
  /** One sentence. */
  readonly says: string;
  /** Whether it was done but found something that a person must look at. */
  readonly isWarning?: boolean;
  /** More details for a person. */
  readonly details?: readonly string[];
  readonly listing?: Listing | undefined;
  /** Where the user can go next; the page adds the subject itself. */
  readonly links?: readonly { readonly path: string; readonly label: string }[];
  /** The same for programs: ids, states, figures. */
  readonly json: Readonly<Record<string, unknown>>;
};

/** How an action of schemas/actions.ts is planned and done. Page and API both use it (run-action.ts). */
export type ActionHandler<Kind extends Subject['kind'] = Subject['kind']> = {
  /** Inputs needed before planning, such as the batch id to compare. */
  readonly picks?: readonly Ask[];
  /** Inputs asked together with the reason. */
  readonly asks?: readonly Ask[];
  /** States of the file or batch that allow it; if omitted, every state. */
  readonly from?: readonly string[];
  /** Whether to compare the send journal first, so that a restored ledger hides no earlier send. */
  readonly comparesJournal?: boolean;
  /** Initial values of the form. */
  suggest?(context: WebContext, subject: SubjectOf<Kind>): Promise<Filled>;
  /** Changes nothing. Throws PipelineError when the current state does not allow the action. */
  plan(context: WebContext, subject: SubjectOf<Kind>, input: Input): Promise<Plan>;
  /** Does it through the moves of the ledger. Throws PipelineError; then nothing has changed. */
  run(context: WebContext, subject: SubjectOf<Kind>, input: Input, because: AuditReason): Promise<Done>;
};

/** Actions with a page and a handler; `look`, `check`, `drop` and `people` are implemented elsewhere. */
export type HandledAction = Exclude<ActionName, 'look' | 'check' | 'drop' | 'people'>;

/** The kind of subject of an action. */
export type KindOf<Name extends HandledAction> = Exclude<(typeof ACTIONS)[Name]['to'], 'dashboard'>;
