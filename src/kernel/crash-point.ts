import type { CrashPointName } from './crash-points.ts';

/** What happens at a crash point; around a commit, `moves` are those of the transaction. */
export type Strike = (name: CrashPointName, moves: readonly { readonly move: string }[]) => void;

const NO_MOVES: readonly { readonly move: string }[] = [];
let strike: Strike | undefined;

/**
 * Marks a moment when a process crash must do no harm. It does nothing: no setting, file or environment variable can
 * arm it by mistake. Only a module loaded into the process before the program can, as the tests do.
 */
export function crashPoint(name: CrashPointName, moves = NO_MOVES): void {
  strike?.(name, moves);
}

/** For tests only (test/chaos/support/arm-crash-points.ts). */
export function armCrashPoints(wanted: Strike | undefined): void {
  strike = wanted;
}
