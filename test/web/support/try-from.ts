import type { DashboardWorld } from './dashboard-world.ts';

/** Tries to log in from an address; the dashboard must trust the proxy 127.0.0.1. @returns the status, and the cookies that the browser keeps */
export async function tryFrom(
  world: DashboardWorld,
  from: string,
  name: string,
  password: string,
  cookies: readonly string[] = [],
) {
  const { status, headers } = await world.stranger().send('/login', {
    method: 'POST',
    headers: { 'x-forwarded-for': from, cookie: cookies.join('; ') },
    body: new URLSearchParams({ name, password }),
  });
  return { status, cookies: headers.getSetCookie().map((line) => line.split(';')[0]!) };
}
