/** A moment at which an instance touches the world outside of its own memory. */
export type MomentKind = 'statement' | 'file' | 'call' | 'job';
export type Moment = { readonly kind: MomentKind; readonly what: string };

/**
 * What is to happen at one such moment.
 * `die`        the process ends before it; nothing of it reaches the world any more
 * `tear`       the same in the middle of a write: half of it is on the disk
 * `fail`       it is not done and an error comes back; `lasting`: and so do the next of its kind
 * `fail-after` it is done, and an error comes back all the same, as when a connection is lost with the answer
 * `meanwhile`  something else happens in the world before it is done
 */
export type Trap = { readonly kind: MomentKind; readonly at: number } & (
  | { readonly act: 'die' | 'tear' | 'fail-after' }
  | { readonly act: 'fail'; readonly lasting: boolean }
  | { readonly act: 'meanwhile'; readonly run: () => Promise<void> }
);

/** Thrown where the process is dead. */
export const POWER_CUT = 'power cut';

/** An outage ends before those who insist on an answer have tried for an hour. */
const LASTING_MOMENTS = 8;

/** How a touch is carried out: whole, or only the first half of what it writes. */
type Extent = 'whole' | 'half';

export type Tap = {
  isDead(): boolean;
  die(): void;
  /** Sets a trap for the work that comes. */
  arm(trap: Trap): void;
  /** @returns the moment at which the trap was sprung, if it was; from then on there is none */
  disarm(): Moment | undefined;
  /**
   * Does `go`, unless the trap or death is in the way.
   * @param failure the error that comes back instead; it is given what was done in vain, if anything was
   */
  touch<Result>(
    moment: Moment,
    go: (extent: Extent) => Promise<Result>,
    failure: (inVain?: Result) => Promise<Error>,
  ): Promise<Result>;
  /** The same for what has to be done at once. It takes no part in `meanwhile`. */
  touchAtOnce<Result>(moment: Moment, go: () => Result, failure: () => Error): Result;
};

export function makeTap(): Tap {
  let dead = false;
  let trap: Trap | undefined;
  let seen = 0;
  let sprung: Moment | undefined;

  /** The trap, when this is its moment. Of a lasting one every later moment is as well. */
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
