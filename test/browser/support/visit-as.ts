import type { BrowserContext, Page } from 'playwright-core';
import type { DeskWorld } from '../../web/support/desk-world.ts';
import type { ShownPage } from './furnished-desk.ts';

/** Opens a page as somebody who is logged in already. Logging in each time would take longer than all the rest. */
export async function visitAs(
  context: BrowserContext,
  desk: DeskWorld,
  { path, as }: Pick<ShownPage, 'path' | 'as'>,
): Promise<Page> {
  if (as !== 'nobody') {
    const [name = '', value = ''] = (await desk.as(as)).cookie.split('=');
    await context.addCookies([{ name, value, url: desk.url }]);
  }
  const page = await context.newPage();
  await page.goto(desk.url + path);
  return page;
}
