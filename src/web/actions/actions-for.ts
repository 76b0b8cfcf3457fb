import { ACTIONS } from '../../../schemas/actions.ts';
import type { Action, HandledAction } from '../../actions/action.ts';
import { HANDLERS } from '../../actions/handlers.ts';

/** Returns the actions that this state allows, in the order of the table, for the links of the resolve page. */
export function actionsFor(kind: 'file' | 'batch', state: string): HandledAction[] {
  return HANDLED.filter((name) => {
    const { from }: Pick<Action, 'from'> = HANDLERS[name];
    return ACTIONS[name].to === kind && (from === undefined || from.includes(state));
  });
}

/** Every action that has a handler. */
export const HANDLED = (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).filter((name): name is HandledAction =>
  Object.hasOwn(HANDLERS, name),
);
