import type { BrowserContext, Page } from 'playwright-core';
import type { DeskWorld, TestPerson } from '../../web/support/desk-world.ts';
import type { ShownPage } from './furnished-desk.ts';

/** Opens a page as a person who is logged in already. */
export async function visitAs(
  context: BrowserContext,
  desk: DeskWorld,
  { path, as }: Pick<ShownPage, 'path' | 'as'>,
): Promise<Page> {
  if (as !== 'nobody') {
    const [name = '', value = ''] = (await cookieOf(desk, as)).split('=');
    await context.addCookies([{ name, value, url: desk.url }]);
  }
  const page = await context.newPage();
  await page.goto(desk.url + path);
  return page;
}

const COOKIES = new WeakMap<DeskWorld, Map<TestPerson, Promise<string>>>();

/** Returns one session for each person, because frequent log-ins are made to wait. */
function cookieOf(desk: DeskWorld, person: TestPerson): Promise<string> {
  const known = COOKIES.get(desk) ?? new Map<TestPerson, Promise<string>>();
  COOKIES.set(desk, known);
  const cookie = known.get(person) ?? desk.as(person).then((browser) => browser.cookie);
  known.set(person, cookie);
  return cookie;
}
