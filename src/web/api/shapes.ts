import { SHOWN } from '../../../schemas/shown.ts';
import { ACTION_COMMANDS, HOST_COMMANDS, VIEW_COMMANDS } from '../../../schemas/steps.ts';

/**
 * Vocabulary for the JSON Schemas of the API. Answers are serialized by these shapes, so a field that is not listed
 * never leaves the server.
 */
export type Shape = Readonly<Record<string, unknown>>;

export const TEXT = { type: 'string' } as const;
export const WHOLE = { type: 'integer' } as const;
export const YES_OR_NO = { type: 'boolean' } as const;
export const MOMENT = { type: 'string', format: 'date-time' } as const;
export const DAY = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' } as const;
export const CENTS = { type: 'integer', description: 'Money in cents.' } as const;
/** An object that differs from case to case, such as the evidence of a move. */
export const ANYTHING = { type: 'object', additionalProperties: true } as const;

/** Query parameters of a paged list: page size, and where to continue. */
export const PAGING = {
  limit: { type: 'integer', minimum: 1, maximum: 500, default: 100, description: 'The most entries wanted.' },
  after: { type: 'string', pattern: '^\\d{1,15}$', description: '`next` of the previous page.' },
} as const;

export type Paging = { limit: number; after?: string };

export const NEXT = {
  type: ['string', 'null'],
  description: 'Give this as `after` for the next page; null on the last.',
} as const;

export function maybe(shape: Shape): Shape {
  return { ...shape, type: [shape['type'], 'null'] };
}

export function listOf(items: Shape): Shape {
  return { type: 'array', items };
}

/** Returns an object with any names, each with a value of this shape. */
export function mapOf(values: Shape): Shape {
  return { type: 'object', additionalProperties: values };
}

/** Returns several names with one shape. */
export function each(shape: Shape, ...names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, shape]));
}

/** @param optional names that may be missing */
export function objectOf(properties: Readonly<Record<string, Shape>>, optional: readonly string[] = []): Shape {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** Returns the shape of a request. Other properties are rejected or dropped; those in `required` must be present. */
export function askedOf(properties: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape {
  return { type: 'object', properties, additionalProperties: false, ...(required.length > 0 && { required }) };
}

export function shapeNamed(name: string): Shape {
  return { $ref: `${name}#` };
}

/** What to do next. See `schemas/steps.ts`. */
export const STEP: Shape = {
  ...listOf({
    anyOf: [
      TEXT,
      objectOf(
        {
          action: { type: 'string', enum: Object.keys(ACTION_COMMANDS), description: 'Something to do, by its name.' },
          see: { type: 'string', enum: Object.keys(VIEW_COMMANDS), description: 'Something to look at.' },
          run: { type: 'string', enum: Object.keys(HOST_COMMANDS), description: 'A command that needs the host.' },
          fileId: TEXT,
          batchNo: WHOLE,
          account: { ...TEXT, description: '`*` for all accounts.' },
          schedule: TEXT,
          day: { ...TEXT, description: 'Business date of a run of the schedule.' },
          profile: TEXT,
        },
        ['action', 'see', 'run', 'fileId', 'batchNo', 'account', 'schedule', 'day', 'profile'],
      ),
    ],
  }),
  description: 'Texts, and between them what they name, with the ids of what it is about.',
};

const Totals = objectOf({ rows: WHOLE, cents: CENTS });

/** How a file or batch stands, in the words of the pages, and what keeps it from being sent. */
export const STANDING: Readonly<Record<string, Shape>> = {
  shown: { type: 'string', enum: Object.keys(SHOWN), description: 'The worst of its state, batches and account.' },
  blockedBy: {
    ...listOf(
      objectOf({
        ...each(TEXT, 'kind', 'account', 'says'),
        since: maybe(MOMENT),
        fileId: maybe(TEXT),
        batchNo: maybe(WHOLE),
      }),
    ),
    description: 'What keeps its unsent batches from being sent.',
  },
};

/** A payment file, with the names of `paydrop show --json`. Its keys are not listed. */
const File = objectOf({
  ...each(TEXT, 'file_id', 'name', 'account', 'site', 'folder', 'operation'),
  layout: maybe(TEXT),
  state: TEXT,
  ...STANDING,
  state_at: MOMENT,
  reason_code: maybe(TEXT),
  reason: maybe(TEXT),
  bytes: WHOLE,
  sha256: TEXT,
  completeness: TEXT,
  claimed_at: MOMENT,
  accepted_at: maybe(MOMENT),
  records: maybe(WHOLE),
  valid_rows: maybe(WHOLE),
  valid_cents: maybe(CENTS),
  invalid_rows: maybe(WHOLE),
  duplicate_of: maybe(TEXT),
  profile_version: { ...maybe(WHOLE), description: '`profile_no` of the version that reads it.' },
  shredded_at: maybe(MOMENT),
});

/** A batch, without the token of the worker that holds it. */
const Batch = objectOf({
  file_id: TEXT,
  batch_no: WHOLE,
  ...each(TEXT, 'account', 'operation', 'state'),
  ...STANDING,
  state_at: MOMENT,
  reason: maybe(TEXT),
  attempt: WHOLE,
  rows: WHOLE,
  cents: CENTS,
  body_sha256: TEXT,
  batch_id: maybe(TEXT),
  submitted_at: maybe(MOMENT),
  polls: WHOLE,
  ...each(maybe(MOMENT), 'next_poll_at', 'result_at', 'stale_since'),
  poll_alarm: maybe(TEXT),
  final_at: maybe(MOMENT),
});

const AuditLink = objectOf(
  {
    seq: WHOLE,
    at: MOMENT,
    actor: TEXT,
    file_id: maybe(TEXT),
    batch_no: maybe(WHOLE),
    move: TEXT,
    from_state: maybe(TEXT),
    to_state: maybe(TEXT),
    reason: TEXT,
    evidence: ANYTHING,
  },
  ['file_id'],
);

const Why = objectOf(
  {
    about: TEXT,
    merchant: { ...TEXT, description: 'Who is charged: the host of the service, and the currency.' },
    timeZone: TEXT,
    ...STANDING,
    story: listOf(objectOf({ at: maybe(MOMENT), text: TEXT })),
    now: listOf(TEXT),
    next: listOf(TEXT),
    steps: { ...listOf(STEP), description: '`next` as data.' },
  },
  ['merchant'],
);

const Proposal = objectOf({
  proposal_no: WHOLE,
  action: TEXT,
  file_id: maybe(TEXT),
  batch_no: maybe(WHOLE),
  profile_no: { ...maybe(WHOLE), description: 'The version of a profile that it is about, instead of a file.' },
  run_no: { ...maybe(WHOLE), description: 'The selection that it is about, instead of a file.' },
  ...each(TEXT, 'name', 'account', 'file_state'),
  rows: WHOLE,
  cents: CENTS,
  reason: TEXT,
  made_by: TEXT,
  made_at: MOMENT,
});

const Error = objectOf({ error: objectOf({ code: TEXT, says: TEXT, next: TEXT }, ['next']) });

/** Rows for a person to look at, such as those in which two sides differ. */
const Listing = objectOf({ label: TEXT, titles: listOf(TEXT), rows: listOf(listOf(TEXT)) });

/** What an action would do, before anything is done. */
const Plan = objectOf(
  {
    says: listOf(TEXT),
    facts: {
      ...listOf(objectOf({ name: TEXT, value: {} })),
      description: 'A value is text, or an object: cents and currency, or at.',
    },
    listing: Listing,
    isProposal: { type: 'boolean', description: 'Whether it only proposes, and another person must confirm.' },
    barred: { ...TEXT, description: 'Why it cannot be done.' },
    bind: { ...TEXT, description: 'Mark of this plan; send it with the action to do exactly this.' },
  },
  ['listing', 'isProposal', 'barred'],
);

const ActionReport = objectOf(
  {
    says: TEXT,
    status: { type: 'integer', description: 'Exit status of the same command; left out when 0.' },
    isWarning: { type: 'boolean', description: 'Whether it found something that needs attention.' },
    details: listOf(TEXT),
    listing: Listing,
    result: { type: 'object', additionalProperties: true },
  },
  ['status', 'isWarning', 'details', 'listing'],
);

/** Shapes shared by several answers, by the name for `shapeNamed`. */
export const COMMON_SHAPES: Readonly<Record<string, Shape>> = {
  Totals,
  File,
  Batch,
  AuditLink,
  Why,
  Proposal,
  Plan,
  Done: ActionReport,
  Error,
};
