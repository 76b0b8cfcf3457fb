import { openTestRun, RUN_VARIABLE } from './postgres.ts';

/** Before the first test of a run: its database server and its template, which all projects and workers share. */
export default async function startRun(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[RUN_VARIABLE] !== undefined) return undefined;
  const { close, ...run } = await openTestRun();
  process.env[RUN_VARIABLE] = JSON.stringify(run);
  return close;
}
