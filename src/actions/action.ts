import type { ActionName, ACTIONS, BoundFact, CoreActionName } from '../../schemas/actions.ts';
import type { EXIT } from '../../schemas/errors.ts';
import type { App } from '../app.ts';
import type { AuditReason } from '../ledger/engine/move.ts';
import type { ProposalRow } from '../ledger/proposal/propose.ts';
import type { BatchRow, FileRow, RunRow } from '../ledger/engine/records.ts';
import type { RowPlace } from '../ledger/row/read-payment.ts';
import type { ReprocessRow } from '../ledger/reprocess/judge-items.ts';

/** What most actions need. They work while the queue is unreachable; the sweep finds in the ledger what became due. */
export type ActionContext = Pick<App, 'settings' | 'ledger' | 'clock' | 'account' | 'gateway'> & Watched;

/** What the command line may pass besides. */
type Watched = {
  /** Shows progress; without it, the caller waits blindly, so long work is refused. */
  readonly progress?: (words: string) => void;
  /** Ends early what can be ended. */
  readonly stop?: AbortSignal;
  /** Folder in which rebuilt outputs are left. */
  readonly into?: string;
};

/** For actions that read sealed rows, ask for jobs or write outputs. */
export type AppContext = App & Watched;

/** The subject of an action, in its current state. */
export type Subject =
  | { readonly kind: 'file'; readonly file: FileRow }
  | { readonly kind: 'batch'; readonly file: FileRow; readonly batch: BatchRow }
  /** ALL_ACCOUNTS for all of them at once. */
  | { readonly kind: 'account'; readonly account: string }
  /** Without a file it is about a version of a profile, or about a selection. */
  | { readonly kind: 'proposal'; readonly proposal: ProposalRow; readonly file: FileRow | undefined }
  | { readonly kind: 'schedule'; readonly schedule: string }
  /** What a schedule did on a business date, or whether an expected file came. */
  | { readonly kind: 'run'; readonly run: RunRow }
  /** Payments and batches chosen to be sent again. */
  | { readonly kind: 'selection'; readonly run: ReprocessRow }
  /** It may have no version yet. */
  | { readonly kind: 'profile'; readonly profile: string };
export type SubjectOf<Kind extends Subject['kind']> = Extract<Subject, { kind: Kind }>;

/** An input of an action besides the reason: a field of its form, an option of its command. */
export type Ask = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: 'text' | 'long' | 'choice' | 'file';
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly isRequired?: boolean;
  /** Whether the file may be no text; programs then send base64. */
  readonly isBinary?: boolean;
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
  /** The payment that each row is about, where it is about one; only pages link to it. */
  readonly payments?: readonly (RowPlace | undefined)[];
};

/** What would happen, before anything is done. */
export type Plan = {
  /** Whole sentences, the most important first. */
  readonly says: readonly string[];
  /** What a person should compare before continuing. */
  readonly facts?: Facts;
  readonly listing?: Listing | undefined;
  /** The value of each fact that the action binds (`binds` in schemas/actions.ts); none where the action is barred. */
  readonly binds?: Partial<Readonly<Record<BoundFact, unknown>>>;
  /** Button text instead of the action's label: "Approve 240 rows, 12,340.00 USD". */
  readonly button?: string;
  /** Whether this only proposes, and another person must confirm. */
  readonly isProposal?: boolean;
  /** Why it cannot be done after all, when a listing shows the reason better than an error. */
  readonly barred?: string;
  /** Exit status of the action where it is barred: `exception` if left out, `ok` where there is nothing left to do. */
  readonly status?: keyof typeof EXIT;
};

/** Where a user can go next; each face knows its own way there. */
export type Next =
  | { readonly to: 'proposals'; readonly proposalNo: number }
  | { readonly to: 'file'; readonly file: FileRow }
  | { readonly to: 'run'; readonly runNo: number }
  | { readonly to: 'doubt'; readonly file: FileRow; readonly batchNo: number }
  | { readonly to: 'confirm-profile'; readonly profile: string }
  | { readonly to: 'rebuild-outputs'; readonly file: FileRow }
  | { readonly to: 'adopt'; readonly file: FileRow; readonly batchNo: number; readonly batchId: string };

export type ActionReport = {
  /** One sentence. */
  readonly says: string;
  /** More details for a person. */
  readonly details?: readonly string[];
  readonly listing?: Listing | undefined;
  readonly next?: readonly Next[];
  /** What is still open when it is not `ok`: an approval, a doubt, something that a person must look at. */
  readonly status?: keyof typeof EXIT;
  /** The same for programs: ids, states, figures. */
  readonly json: Readonly<Record<string, unknown>>;
};

/** One thing that a person can do, for every face: how it is planned and done. Its row is in schemas/actions.ts. */
export type Action<Kind extends Subject['kind'] = Subject['kind'], Context = ActionContext> = {
  /** Whether it needs the whole app. */
  readonly needs?: 'app';
  /** Inputs needed before planning, such as the batch id to compare. */
  readonly picks?: readonly Ask[];
  /** Inputs asked together with the reason. */
  readonly asks?: readonly Ask[];
  /** Reason to record when the caller gives none. */
  readonly usualReason?: string;
  /** States of the file or batch that allow it; if omitted, every state. */
  readonly from?: readonly string[];
  /** Whether to compare the send journal first, so that a restored ledger hides no earlier send. */
  readonly comparesJournal?: boolean;
  /** Initial values of the inputs. */
  suggest?(context: Context, subject: SubjectOf<Kind>): Promise<Filled>;
  /** Changes nothing. Throws PipelineError when the current state does not allow the action. */
  plan(context: Context, subject: SubjectOf<Kind>, input: Input): Promise<Plan>;
  /** Does it through the moves of the ledger. Throws PipelineError; then nothing has changed. */
  run(context: Context, subject: SubjectOf<Kind>, input: Input, because: AuditReason): Promise<ActionReport>;
};

/** An action that needs the whole app. */
export type AppAction<Kind extends Subject['kind']> = Action<Kind, AppContext> & { readonly needs: 'app' };

declare module '../feature.ts' {
  interface Feature {
    /** Its actions (`actions` in its rows); `lazyAction` loads their code when they are planned or done. */
    readonly actions?: {
      readonly [Name in Exclude<HandledAction, CoreActionName>]?: Action<KindOf<Name>> | AppAction<KindOf<Name>>;
    };
  }
}

/** Actions with a subject; `look`, `check`, `drop` and `people` are implemented elsewhere. */
export type HandledAction = Exclude<ActionName, 'look' | 'check' | 'drop' | 'people'>;

/** The kind of subject of an action. */
export type KindOf<Name extends HandledAction> = Exclude<(typeof ACTIONS)[Name]['to'], 'dashboard'>;

/**
 * Returns an action whose code is loaded when it is planned or done.
 * @param known what the faces show of it before
 */
export function lazyAction<
  Kind extends Subject['kind'],
  Context,
  Known extends Omit<Action<Kind, Context>, 'plan' | 'run'>,
>(
  known: Known,
  load: () => Promise<Pick<Action<Kind, Context>, 'plan' | 'run'>>,
): Known & Pick<Action<Kind, Context>, 'plan' | 'run'> {
  return {
    ...known,
    plan: async (...given) => (await load()).plan(...given),
    run: async (...given) => (await load()).run(...given),
  };
}
