/**
 * Works on several things at a time, and lets each do its last part only after those before it have ended.
 * @param atOnce how many at a time
 * @param work must not reject; awaits `turn` before the part that must happen in order
 */
export async function keepOrder<Thing>(
  things: readonly Thing[],
  atOnce: number,
  work: (thing: Thing, turn: Promise<void>) => Promise<void>,
): Promise<void> {
  /** For each thing: resolves when it and all before it have ended. */
  const ended: Promise<void>[] = [];
  for (const [place, thing] of things.entries()) {
    await ended[place - atOnce];
    const before = ended[place - 1] ?? Promise.resolve();
    const working = work(thing, before);
    ended.push(before.then(() => working));
  }
  await ended.at(-1);
}
