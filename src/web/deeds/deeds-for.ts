import { DEEDS } from '../../../schemas/desk.ts';
import type { DeedHandler, HandledDeed } from './deed-handler.ts';
import { HANDLERS } from './handlers.ts';

/** What can be done to a file or a batch in this state, in the order of the table; for the links on its page. */
export function deedsFor(kind: 'file' | 'batch', state: string): HandledDeed[] {
  return HANDLED.filter((name) => {
    const { from }: Pick<DeedHandler, 'from'> = HANDLERS[name];
    return DEEDS[name].to === kind && (from === undefined || from.includes(state));
  });
}

/** Every deed that has a handler. */
export const HANDLED = (Object.keys(DEEDS) as (keyof typeof DEEDS)[]).filter((name): name is HandledDeed =>
  Object.hasOwn(HANDLERS, name),
);
