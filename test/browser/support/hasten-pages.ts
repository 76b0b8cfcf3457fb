import type { BrowserContext } from 'playwright-core';

/** How many times as fast the waits of a page are over, such as the one before it asks again where a file is. */
const HASTE = 20;

/** For pages that are watched for what they do, and not for when. */
export async function hastenPages(context: BrowserContext): Promise<void> {
  await context.addInitScript((haste) => {
    const wait = window.setTimeout.bind(window);
    window.setTimeout = ((call: () => void, ms = 0) => wait(call, ms / haste)) as typeof window.setTimeout;
  }, HASTE);
}
