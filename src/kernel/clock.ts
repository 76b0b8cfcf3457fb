/** The only source of the current time. Tests and the sandbox use a clock that is moved by hand. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** Returns a clock that stands still until it is moved. */
export function handClock(start: Date | string): Clock & { advance(ms: number): void; set(to: Date | string): void } {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    advance: (ms) => {
      at += ms;
    },
    set: (to) => {
      at = new Date(to).getTime();
    },
  };
}
