/** A moment at which an instance touches the world outside its own memory. */
export type MomentKind = 'statement' | 'file' | 'call' | 'job';
export type Moment = { readonly kind: MomentKind; readonly what: string };

/**
 * What happens at one such moment:
 * - `die`: the process ends before it, and nothing of it reaches the world
 * - `tear`: same, in the middle of a write, half of which is on disk
 * - `fail`: it is not done and an error is thrown; with `lasting`, the next ones of its kind fail too
 * - `fail-after`: it is done but an error is thrown, as when a connection is lost with the answer
 * - `meanwhile`: something else happens in the world before it is done
 */
export type Trap = { readonly kind: MomentKind; readonly at: number } & (
  | { readonly act: 'die' | 'tear' | 'fail-after' }
  | { readonly act: 'fail'; readonly lasting: boolean }
  | { readonly act: 'meanwhile'; readonly run: () => Promise<void> }
);

/** Thrown where the process is dead. */
export const POWER_CUT = 'power cut';

/** An outage ends before code that insists on an answer has tried for an hour. */
const LASTING_MOMENTS = 8;

/** How a touch is carried out: whole, or only the first half of what it writes. */
type Extent = 'whole' | 'half';

export type Tap = {
  isDead(): boolean;
  die(): void;
  /** Sets a trap for the work that follows. */
  arm(trap: Trap): void;
  /** Removes the trap. Returns the moment that sprang it, if any. */
  disarm(): Moment | undefined;
  /**
   * Does `go`, unless the trap or death prevents it.
   * @param failure makes the error to throw instead; it gets the result that is lost, if there is one
   */
  touch<Result>(
    moment: Moment,
    go: (extent: Extent) => Promise<Result>,
    failure: (inVain?: Result) => Promise<Error>,
  ): Promise<Result>;
  /** Same for calls that must be synchronous. They take no part in `meanwhile`. */
  touchAtOnce<Result>(moment: Moment, go: () => Result, failure: () => Error): Result;
};

export function makeTap(): Tap {
  let dead = false;
  let trap: Trap | undefined;
  let seen = 0;
  let sprung: Moment | undefined;

  /** Returns the trap when this is its moment. A lasting trap also springs at later moments. */
  function spring(moment: Moment): Trap | undefined {
    if (trap?.kind !== moment.kind) return undefined;
    seen += 1;
    const isLasting = trap.act === 'fail' && trap.lasting && seen > trap.at && seen <= trap.at + LASTING_MOMENTS;
    if (seen !== trap.at && !isLasting) return undefined;
    sprung ??= moment;
    return trap;
  }

  function die(): never {
    dead = true;
    throw new Error(POWER_CUT);
  }

  return {
    isDead: () => dead,
    die: () => {
      dead = true;
    },
    arm: (next) => {
      trap = next;
      seen = 0;
      sprung = undefined;
    },
    disarm: () => {
      trap = undefined;
      return sprung;
    },
    async touch(moment, go, failure) {
      if (dead) throw new Error(POWER_CUT);
      const caught = spring(moment);
      switch (caught?.act) {
        case undefined:
          return go('whole');
        case 'die':
          return die();
        case 'tear':
          if (moment.kind === 'file') await go('half').catch(() => undefined);
          return die();
        case 'fail':
          throw await failure();
        case 'fail-after':
          throw await failure(await go('whole'));
        case 'meanwhile':
          await caught.run();
          return go('whole');
      }
    },
    touchAtOnce(moment, go, failure) {
      if (dead) throw new Error(POWER_CUT);
      if (trap?.act === 'meanwhile') return go();
      const caught = spring(moment);
      if (caught === undefined) return go();
      if (caught.act === 'fail' || caught.act === 'fail-after') throw failure();
      return die();
    },
  };
}
