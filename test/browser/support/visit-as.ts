import type { BrowserContext, Page } from 'playwright-core';
import type { DashboardWorld, TestPerson } from '../../web/support/dashboard-world.ts';
import type { ShownPage } from './furnished-dashboard.ts';

/** Opens a page as a person who is logged in already. */
export async function visitAs(
  context: BrowserContext,
  dashboard: DashboardWorld,
  { path, as }: Pick<ShownPage, 'path' | 'as'>,
): Promise<Page> {
  if (as !== 'nobody') {
    const [name = '', value = ''] = (await cookieOf(dashboard, as)).split('=');
    await context.addCookies([{ name, value, url: dashboard.url }]);
  }
  const page = await context.newPage();
  await page.goto(dashboard.url + path);
  return page;
}

const COOKIES = new WeakMap<DashboardWorld, Map<TestPerson, Promise<string>>>();

/** Returns one session for each person, because frequent log-ins are made to wait. */
function cookieOf(dashboard: DashboardWorld, person: TestPerson): Promise<string> {
  const known = COOKIES.get(dashboard) ?? new Map<TestPerson, Promise<string>>();
  COOKIES.set(dashboard, known);
  const cookie = known.get(person) ?? dashboard.as(person).then((browser) => browser.cookie);
  known.set(person, cookie);
  return cookie;
}
