import axeCore from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns what keeps people from using a page, as axe-core finds it: the rule and the elements that break it. */
export async function findViolations(page: Page): Promise<string[]> {
  // The browser itself evaluates it, so the policy of the page need not allow it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeCore.source);
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(): Promise<Found> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} (${failureSummary ?? ''})`),
    );
  });
}
