import type { DeedName, DEEDS } from '../../../schemas/desk.ts';
import type { Because } from '../../ledger/engine/move.ts';
import type { ProposalRow } from '../../ledger/proposal/propose.ts';
import type { BatchRow, FileRow } from '../../ledger/engine/records.ts';
import type { Desk } from '../desk.ts';

/** What a deed is done to, as the address names it. */
export type Subject =
  | { readonly kind: 'file'; readonly file: FileRow }
  | { readonly kind: 'batch'; readonly file: FileRow; readonly batch: BatchRow }
  /** ALL_ACCOUNTS for all of them at once. */
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'proposal'; readonly proposal: ProposalRow; readonly file: FileRow }
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

/** What a person filled in. Values are trimmed. */
export type Filled = Readonly<Record<string, string>>;

/** Who asks, and with what. */
export type Input = {
  /** `operator:<person>` */
  readonly actor: string;
  readonly filled: Filled;
  /** Of a deed that reads a file: its name and bytes. Nothing in it is trusted. */
  readonly file?: { readonly name: string; readonly bytes: Buffer };
};

/** Money is integer cents and a moment is a Date; the page writes them as people read them. */
export type Fact =
  | string
  | { readonly cents: number; readonly currency?: string | undefined }
  | { readonly at: Date; readonly timeZone?: string | undefined };

export type Facts = readonly (readonly [name: string, value: Fact])[];

/** Rows that a person should see, such as those in which two sides differ. Holds last fours at most. */
export type Listing = {
  readonly label: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** What would happen, before anything does. It says nothing that changes by itself, such as how long something waits. */
export type Plan = {
  /** In whole sentences, the most important first. */
  readonly says: readonly string[];
  /** What a person should compare before he goes on. */
  readonly facts?: Facts;
  readonly listing?: Listing | undefined;
  /** On the button, instead of the label of the deed: "Approve 240 rows, 12,340.00 USD". */
  readonly button?: string;
  /** Whether it only proposes, and another person must confirm. */
  readonly isProposal?: boolean;
  /** Why it cannot be done after all, where a listing shows it better than an error could. */
  readonly barred?: string;
};

export type Done = {
  /** One sentence. */
  readonly says: string;
  /** Whether it was done and found something that a person has to look at. */
  readonly isWarning?: boolean;
  /** More, for a person to read. */
  readonly details?: readonly string[];
  readonly listing?: Listing | undefined;
  /** Where the person goes on; the page adds the subject itself. */
  readonly links?: readonly { readonly path: string; readonly label: string }[];
  /** The same for a program: ids, states, figures. */
  readonly json: Readonly<Record<string, unknown>>;
};

/** How one deed of schemas/desk.ts is planned and done; the page and the API both go through here (do-deed.ts). */
export type DeedHandler<Kind extends Subject['kind'] = Subject['kind']> = {
  /** What must be known before it can be planned, such as the batch id that is to be compared. */
  readonly picks?: readonly Ask[];
  /** What is asked together with the reason. */
  readonly asks?: readonly Ask[];
  /** States of the file or batch in which it may be done, for the links on its page; left out, always. */
  readonly from?: readonly string[];
  /** Whether the send journal is compared first, so that nobody decides over what a restored ledger has forgotten. */
  readonly comparesJournal?: boolean;
  /** Values that stand in the form at first. */
  suggest?(desk: Desk, subject: SubjectOf<Kind>): Promise<Filled>;
  /** Changes nothing. Throws PipelineError when it cannot be done as things stand. */
  plan(desk: Desk, subject: SubjectOf<Kind>, input: Input): Promise<Plan>;
  /** Does it, through the moves of the ledger. Throws PipelineError; nothing is changed then. */
  run(desk: Desk, subject: SubjectOf<Kind>, input: Input, because: Because): Promise<Done>;
};

/** Deeds that have a page and a handler of their own; `look`, `check`, `drop` and `people` are done elsewhere. */
export type HandledDeed = Exclude<DeedName, 'look' | 'check' | 'drop' | 'people'>;

/** To what a deed is done. */
export type KindOf<Name extends HandledDeed> = Exclude<(typeof DEEDS)[Name]['to'], 'desk'>;
