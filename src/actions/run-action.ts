import { saidState } from '../../schemas/shown.ts';
import { ACTIONS, type BoundFact } from '../../schemas/actions.ts';
import type { Feature } from '../feature.ts';
import { PipelineError } from '../kernel/errors.ts';
import { sha256Of } from '../kernel/hash.ts';
import { maskReason } from '../kernel/mask.ts';
import { recallForgotten } from '../ledger/doubt/recall-batch.ts';
import { mustHaveRows } from '../ledger/retention/archived-rows.ts';
import type { ActionContext, AppContext, Ask, ActionReport, HandledAction, Input, Plan, Subject } from './action.ts';
import { type Handler, handlersOf } from './handlers.ts';

/** What would happen. A caller that sends `bind` back wants it done only while what the plan binds still holds. */
export type Planned = { readonly subject: Subject; readonly plan: Plan; readonly bind: string };

/** `changed`: nothing was done, because something that the plan binds is not what the user saw. */
export type ActionResult =
  | { readonly result: 'done'; readonly subject: Subject; readonly done: ActionReport }
  | ({ readonly result: 'changed' } & Planned);

export type Order = Input & {
  /** The reason in the user's words; an action without a required reason has its own. */
  readonly reason?: string;
  /** Mark of the plan that the user saw; if omitted, the current plan is done. */
  readonly bind?: string;
};

/** Returns a plan for programs; facts without a value are left out, and so is what only one face needs. */
export function shownPlan({
  plan: { facts = [], button: _button, status: _status, binds: _binds, listing, ...plan },
  bind,
}: Pick<Planned, 'plan' | 'bind'>) {
  const { payments: _payments, ...listed } = listing ?? { payments: undefined };
  return {
    ...plan,
    ...(listing && { listing: listed }),
    facts: facts.filter(([, value]) => value !== '').map(([name, value]) => ({ name, value })),
    bind,
  };
}

/** Finds the subject in its current state. */
export type SubjectFinder = (kind: Subject['kind']) => Promise<Subject>;

/** The app where the action needs it (`needs` of its handler). */
type Context = ActionContext | AppContext;

/**
 * Plans an action. Changes nothing.
 * @throws PipelineError when the subject is missing, or its state does not allow the action
 */
export async function planAction(
  context: Context,
  name: HandledAction,
  find: SubjectFinder,
  input: Input,
): Promise<Planned> {
  return planWith(context, name, await subjectOf(context.settings.features, name, find), input);
}

async function planWith(context: Context, name: HandledAction, subject: Subject, input: Input): Promise<Planned> {
  const handler = handlerOf(context.settings.features, name);
  mustHave(handler.picks ?? [], input, `plan "${ACTIONS[name].label}"`);
  const plan = await handler.plan(context, subject, input);
  return { subject, plan, bind: markOf(handler, name, subject, plan, input) };
}

/**
 * Does an action, if it has no plan that the user saw or what that plan binds still holds. Doing it twice is harmless: the ledger
 * refuses a move that was already made.
 * @param compareJournal runs before an action that could miss a send which a restored ledger has forgotten
 * @throws PipelineError; then nothing has changed
 */
export async function runAction(
  context: Context,
  name: HandledAction,
  find: SubjectFinder,
  order: Order,
  compareJournal: (context: Context) => Promise<unknown> = ({ ledger, settings }) =>
    recallForgotten(ledger, settings.paths.journal),
): Promise<ActionResult> {
  const handler = handlerOf(context.settings.features, name);
  const action = `do "${ACTIONS[name].label}"`;
  if (handler.comparesJournal) await compareJournal(context);
  const subject = await subjectOf(context.settings.features, name, find);
  if (order.bind !== undefined) {
    const planned = await planWith(context, name, subject, order);
    if (order.bind !== planned.bind) return { result: 'changed', ...planned };
    const { barred, status } = planned.plan;
    if (barred !== undefined && status === 'unknownOpen') throw new PipelineError('RESOLUTION_REFUSED', action, barred);
    if (barred !== undefined) throw new PipelineError('MOVE_REFUSED', action, barred, { next: 'Nothing was changed.' });
  }
  const because = { actor: order.actor, reason: reasonOf(context.settings.features, name, order) };
  mustHave([...(handler.picks ?? []), ...(handler.asks ?? [])], order, action);
  return { result: 'done', subject, done: await handler.run(context, subject, order, because) };
}

/**
 * Finds the subject of the action.
 * @throws PipelineError when it is missing, or its state does not allow the action
 */
export async function subjectOf(
  features: readonly Feature[],
  name: HandledAction,
  find: SubjectFinder,
): Promise<Subject> {
  const { to, from } = handlerOf(features, name);
  const subject = await find(to);
  if (subject.kind === 'file' || subject.kind === 'batch')
    mustHaveRows(subject.file, `do "${ACTIONS[name].label}" with this ${to}`);
  const state = stateOf(subject);
  if (state === undefined || from === undefined || from.includes(state)) return subject;
  const reason = `its state is ${saidState(state)}; it must be ${oneOf(from.map(saidState))}`;
  const next = 'file' in subject && subject.file ? `See "paydrop why ${subject.file.file_id}".` : '';
  throw new PipelineError('MOVE_REFUSED', `do "${ACTIONS[name].label}" with this ${to}`, reason, { next });
}

/** "a, b or c". */
function oneOf(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ');
}

function stateOf(subject: Subject): string | undefined {
  if (subject.kind === 'file') return subject.file.state;
  return subject.kind === 'batch' ? subject.batch.state : undefined;
}

/**
 * Returns the action, typed for any subject and context; the finder supplies one of the right kind.
 * @throws PipelineError NOT_FOUND when its feature is left out
 */
export function handlerOf(
  features: readonly Feature[],
  name: HandledAction,
): Handler & { readonly to: Subject['kind'] } {
  const handler = handlersOf(features)[name];
  if (handler) return { ...handler, to: ACTIONS[name].to };
  throw new PipelineError('NOT_FOUND', `do "${ACTIONS[name].label}"`, 'the feature that does it is left out', {
    next: 'Take it out of "features" in paydrop.yaml.',
  });
}

/**
 * Returns the mark of a plan: its subject, the inputs it was made from, whether another person must confirm, and the
 * facts that the action binds. Sentences and figures of the plan are left out: they may change while it is read.
 */
function markOf(handler: Handler, name: HandledAction, subject: Subject, plan: Plan, { filled, file }: Input): string {
  const picks = (handler.picks ?? []).map(({ name: pick, kind }) =>
    kind === 'file' ? file && sha256Of(file.bytes) : (filled[pick] ?? ''),
  );
  const bound = ACTIONS[name].binds.map((fact) => boundValue(name, plan, fact));
  return sha256Of(JSON.stringify([name, keyOf(subject), picks, plan.isProposal ?? false, bound])).slice(0, 32);
}

/** A plan that forgets to say what its action binds would be done whatever has changed. */
function boundValue(name: HandledAction, { binds = {}, barred }: Plan, fact: BoundFact): unknown {
  if (barred !== undefined) return 'barred';
  if (binds[fact] === undefined) throw new Error(`the plan of "${name}" does not say its ${fact}`);
  return binds[fact];
}

function keyOf(subject: Subject): string | number {
  switch (subject.kind) {
    case 'file':
      return subject.file.file_id;
    case 'batch':
      return `${subject.file.file_id}/${subject.batch.batch_no}`;
    case 'account':
      return subject.account;
    case 'proposal':
      return subject.proposal.proposal_no;
    case 'schedule':
      return subject.schedule;
    case 'run':
      return `${subject.run.schedule} ${subject.run.business_date}`;
    case 'selection':
      return subject.run.run_no;
    case 'profile':
      return subject.profile;
  }
}

/**
 * Returns the reason for the audit trail, without numbers of payers.
 * @param next how to give one
 * @throws PipelineError USAGE when one is asked for and none is given
 */
export function reasonOf(
  features: readonly Feature[],
  name: HandledAction,
  { reason = handlerOf(features, name).usualReason ?? '' }: Pick<Order, 'reason'>,
  next = 'Say why.',
): string {
  if (ACTIONS[name].reason === 'none') return 'requested by hand';
  const words = reason.trim();
  if (words === '') throw new PipelineError('USAGE', `do "${ACTIONS[name].label}"`, 'the reason is empty', { next });
  return maskReason(words);
}

function mustHave(asks: readonly Ask[], { filled, file }: Input, action: string): void {
  for (const { name, label, kind, isRequired, choices } of asks) {
    const value = filled[name] ?? '';
    const isGiven = kind === 'file' ? file !== undefined : value !== '';
    if (isRequired && !isGiven)
      throw new PipelineError('USAGE', action, `"${label}" is empty`, { next: 'Fill it in.' });
    if (kind === 'choice' && value !== '' && !choices!.some((choice) => choice.value === value))
      throw new PipelineError('USAGE', action, `"${label}" must be one of its choices`, {
        next: `Choose one: ${choices!
          .map((choice) => choice.value)
          .filter(Boolean)
          .join(', ')}.`,
      });
  }
}
