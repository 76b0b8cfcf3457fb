import type { FastifyInstance } from 'fastify';
import { ACTIONS } from '../../../schemas/actions.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { Refusal } from '../access/refusal.ts';
import { mustBeProved } from '../access/step-up.ts';
import { actorOf } from '../access/viewer.ts';
import type { Ask, ActionReport, HandledAction, Input, Plan } from '../../actions/action.ts';
import { type Order, shownPlan } from '../../actions/run-action.ts';
import type { Feature } from '../../feature.ts';
import { isWarning } from '../actions/find-subject.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import { askedOf, DAY, objectOf, type Shape, shapeNamed, TEXT } from './shapes.ts';

/** How actions are planned and done. The pages use the same functions, so no rules are repeated here. */
export type ApiActions = {
  /** Returns every action with an address: what its plan needs, and what is asked together with the reason. */
  handlers(
    features: readonly Feature[],
  ): Readonly<Partial<Record<HandledAction, { readonly picks?: readonly Ask[]; readonly asks?: readonly Ask[] }>>>;
  plan(context: WebContext, name: HandledAction, params: unknown, input: Input): Promise<{ plan: Plan; bind: string }>;
  /** `changed`: nothing was done, because the plan no longer matches the `bind` that was sent. */
  run(
    context: WebContext,
    name: HandledAction,
    params: unknown,
    order: Order,
  ): Promise<{ readonly result: 'done'; readonly done: ActionReport } | { readonly result: 'changed' }>;
};

/** Maximum bytes of a request that contains a file. */
const FILE_BYTES = 8 * 1024 * 1024;

/** Registers a POST for each action, as the pages do with a form. With `?plan=1` it only returns what would happen. */
export function actionsApi(server: FastifyInstance, context: WebContext, actions: ApiActions): void {
  const handlers = actions.handlers(context.app.settings.features);
  for (const name of Object.keys(handlers) as HandledAction[]) {
    const { picks = [], asks: others = [] } = handlers[name]!;
    const asks = [...picks, ...others];
    const bodyLimit = asks.some(({ kind }) => kind === 'file') ? { bodyLimit: FILE_BYTES } : {};
    server.post<{ Querystring: { plan?: string }; Body: Body }>(
      addressOf(name),
      { config: { may: name }, schema: schemaOf(name, asks), ...bodyLimit },
      async ({ viewer, params, query, body }) => {
        const input = { actor: actorOf(viewerOf({ viewer })), ...readInput(asks, body) };
        if (query.plan !== undefined) return shownPlan(await actions.plan(context, name, params, input));
        if (ACTIONS[name].destructive) mustBeProved(viewerOf({ viewer }), context);
        const { reason, bind } = body ?? {};
        const order = { ...input, ...(reason !== undefined && { reason }), ...(bind !== undefined && { bind }) };
        const ran = await actions.run(context, name, params, order);
        if (ran.result === 'changed') throw new Refusal('PLAN_CHANGED');
        const { says, details, listing, status = 'ok', json: result } = ran.done;
        const open = status !== 'ok' && { status: EXIT[status], isWarning: isWarning(ran.done) };
        return { says, ...open, details, listing, result };
      },
    );
  }
}

type SentFile = { readonly name: string } & ({ readonly text: string } | { readonly base64: string });
type Body = ({ reason?: string; bind?: string } & Readonly<Record<string, string | SentFile | undefined>>) | null;

/** Returns the body as a form would provide it. */
function readInput(asks: readonly Ask[], body: Body | undefined): Omit<Input, 'actor'> {
  const filled: Record<string, string> = {};
  let file: Input['file'];
  for (const { name } of asks) {
    const value = body?.[name];
    if (typeof value === 'string') filled[name] = value.trim();
    else if (value) file = { name: value.name, bytes: bytesOf(value) };
  }
  return { filled, ...(file && { file }) };
}

function bytesOf(file: SentFile): Buffer {
  return 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64');
}

/** Returns the address of an action, below its subject. */
function addressOf(name: HandledAction): string {
  return `${SUBJECTS[ACTIONS[name].to]!.path}/${name}`;
}

const NAME = { ...TEXT, maxLength: 255 };
const FILE_ID = { ...TEXT, maxLength: 64, description: 'Its whole id.' };

/** A number in an address. It stays text until it is looked up. */
const NUMBER = { ...TEXT, pattern: '^[1-9]\\d{0,14}$' };

const SUBJECTS: Readonly<Record<string, { readonly path: string; readonly params: Readonly<Record<string, Shape>> }>> =
  {
    file: { path: '/files/:fileId', params: { fileId: FILE_ID } },
    batch: { path: '/files/:fileId/batches/:batchNo', params: { fileId: FILE_ID, batchNo: NUMBER } },
    account: {
      path: '/accounts/:name',
      params: { name: { ...NAME, description: 'Its name; all for every account.' } },
    },
    proposal: { path: '/proposals/:no', params: { no: NUMBER } },
    schedule: { path: '/schedules/:name', params: { name: NAME } },
    run: {
      path: '/schedules/:name/runs/:day',
      params: {
        name: { ...NAME, description: 'The schedule; expect: and a folder for an expected file.' },
        day: { ...DAY, description: 'The business date.' },
      },
    },
    selection: { path: '/selections/:no', params: { no: NUMBER } },
    profile: { path: '/profiles/:name', params: { name: NAME } },
  };

function schemaOf(name: HandledAction, asks: readonly Ask[]) {
  const { to, label, reason, may } = ACTIONS[name];
  const why = reason === 'asked' ? { reason: { ...TEXT, maxLength: 2_000, description: 'For the audit trail.' } } : {};
  return apiSchema({
    tag: `${to.slice(0, 1).toUpperCase()}${to.slice(1)} actions`,
    summary: label,
    description: `For the roles ${may.join(', ')}, and for tokens with this permission.`,
    params: SUBJECTS[to]!.params,
    query: { plan: { type: 'string', enum: ['1'], description: 'Show what would happen, and do nothing.' } },
    body: {
      ...askedOf({
        ...why,
        bind: {
          ...TEXT,
          maxLength: 100,
          description: 'Mark of a plan: do this only while what the plan binds still holds.',
        },
        ...Object.fromEntries(asks.map((ask) => [ask.name, shapeOf(ask)])),
      }),
      // The body may be empty when there is nothing to fill in.
      type: ['object', 'null'],
    },
    answer: { anyOf: [shapeNamed('Done'), shapeNamed('Plan')] },
  });
}

function shapeOf({ label, hint, kind, choices, isBinary }: Ask): Shape {
  const description = hint === undefined ? label : `${label}. ${hint}`;
  if (kind === 'file') {
    const bytes = { ...TEXT, maxLength: FILE_BYTES };
    return { ...objectOf({ name: NAME, ...(isBinary ? { base64: bytes } : { text: bytes }) }), description };
  }
  return { ...TEXT, maxLength: 10_000, description, ...(choices && { enum: choices.map(({ value }) => value) }) };
}
