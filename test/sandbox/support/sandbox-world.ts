import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type ReportName, type ReportRow, REPORT_TIMES, REPORTS } from '../../../schemas/reports.ts';
import type { Server } from '../../../schemas/operations.ts';
import type { Account, HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { REPORT_HANDLERS } from '../../../src/sandbox/reports/report-handlers.ts';
import { bankDates, bankStateOf } from '../../../src/sandbox/time/bank-state.ts';
import { makeCall } from './make-context.ts';
import { buildProgram } from '../../support/build-program.ts';
import { submitBatch } from './soap-request.ts';

/** Starts sandboxes and makes folders that are removed after the test. Call it once per test file. */
export function useSandboxes() {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });
  return {
    start: async (options: SandboxOptions = {}): Promise<Sandbox> => {
      const sandbox = await startSandbox(options);
      cleanups.push(() => sandbox.close().catch(() => undefined));
      return sandbox;
    },
    folder: async (): Promise<string> => {
      const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
      cleanups.push(() => rm(folder, { recursive: true, force: true }));
      return folder;
    },
  };
}

export const ACCOUNT = '02100002100000000000000001';

/**
 * Kills sandboxes that share one folder, each some ms after its first batch and while it takes more. Checks that the
 * next one has all of each batch or nothing, and everything that was answered.
 */
export async function killRepeatedly(world: ReturnType<typeof useSandboxes>, delays: readonly number[]): Promise<void> {
  const dataDir = await world.folder();
  const answered: string[] = [];
  for (const [round, delayMs] of delays.entries()) {
    const { url, child } = await startChild(dataDir);
    const first = submitBatch(url, 'ProcessACHEFTChargeBatch', rowsOf(`R${round}-first`, ROWS));
    answered.push(await first);
    const others = Array.from({ length: 30 }, (_, index) =>
      submitBatch(url, 'ProcessACHEFTChargeBatch', rowsOf(`R${round}-${index}`, ROWS)).then(
        (batchId) => answered.push(batchId),
        () => 'cut off',
      ),
    );
    await wait(delayMs);
    await kill(child);
    await Promise.all(others);
  }
  const sandbox = await world.start({ dataDir });
  const booked = new Map<string, string[]>();
  for (const { batchId, invoice } of sandbox.books()) {
    booked.set(batchId, [...(booked.get(batchId) ?? []), invoice]);
  }
  for (const invoices of booked.values()) {
    const name = invoices[0]?.replace(/-\d+$/, '');
    expect(invoices).toEqual(Array.from({ length: ROWS }, (_, row) => `${name}-${row}`));
  }
  expect(new Set(answered).size).toBe(answered.length);
  expect(answered.filter((batchId) => !booked.has(batchId))).toEqual([]);
  const next = await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', rowsOf('last', 1));
  expect(Number(next)).toBeGreaterThan(Math.max(...answered.map(Number)));
}

/** Enough rows that writing a batch takes a while. */
const ROWS = 400;

export function rowsOf(name: string, count: number): string {
  const rows = Array.from({ length: count }, (_, row) => `${name}-${row},Ada,Byron,CHECKING,${ACCOUNT},5.00,Gift`);
  return rows.join('\n');
}

export async function startChild(dataDir: string): Promise<{ url: string; child: ChildProcess }> {
  const { fileOf } = await buildProgram();
  const script = fileOf('test/sandbox/support/sandbox-child.ts');
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the child ended with ${code}`))),
  ]);
  return { url: String(line).trim(), child };
}

export async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const DAY_MS = 86_400_000;

/** What a report has to show of a payment: a line with these cents at that moment. */
type ExpectedLine = { readonly method: string; readonly list: string; readonly atMs: number; readonly cents: number };

/** Says from the books alone where each payment of an account has to be by now. */
function linesOf({ books }: HandlerContext, account: Account, now: Date): ExpectedLine[] {
  return books.payments.list(account.agentCode).flatMap(({ row, method, course }) => {
    const atMs = Date.parse(row.at);
    const cents = row.amountCents;
    const paid = (ms: number, sign = 1) => ({ method, list: 'reconciliation', atMs: ms, cents: sign * cents });
    if (!row.charged) return [{ method, list: 'rejected', atMs, cents }];
    if (method === 'card') {
      const settled = atMs + DAY_MS <= now.getTime() ? [paid(atMs + DAY_MS)] : [];
      return [{ method, list: 'approved', atMs, cents }, ...settled];
    }
    const { stage, since } = bankStateOf(new Date(row.at), cents, now, course);
    const sinceMs = since.getTime();
    if (stage === 'rejected') return [{ method, list: 'rejected', atMs: sinceMs, cents }];
    if (stage === 'returned') {
      const answeredMs = bankDates(new Date(row.at)).answeredAt.getTime();
      return [{ method, list: 'returned', atMs: sinceMs, cents }, paid(answeredMs), paid(sinceMs, -1)];
    }
    if (stage === 'accepted') return [{ method, list: 'approved', atMs: sinceMs, cents }, paid(sinceMs)];
    return [{ method, list: 'approved', atMs, cents }];
  });
}

/** Compares every report of every day, and of all days together, with the books. Returns how many lines there were. */
export async function compareReports(
  context: HandlerContext,
  account: Account & { server: Server },
  days: readonly string[],
): Promise<number> {
  const now = context.clock.now();
  const { timeZone } = REPORT_TIMES[account.server];
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const byDay = new Map<string, number[]>();
  const keyOf = (row: Pick<ReportRow, 'method' | 'list'>, day: string) => `${row.method} ${row.list} ${day}`;
  const expected = linesOf(context, account, now);
  for (const { method, list, atMs, cents } of expected) {
    const key = `${method} ${list} ${format.format(atMs)}`;
    byDay.set(key, [...(byDay.get(key) ?? []), cents]);
  }
  for (const [name, row] of Object.entries(REPORTS) as [ReportName, ReportRow][]) {
    if (!row.servers.includes(account.server)) continue;
    const ask = async (fields: Record<string, string>) => {
      const { payload } = await REPORT_HANDLERS[name].answer(makeCall(name, fields, account), context);
      return centsOf(row, payload).toSorted((one, other) => one - other);
    };
    const rangeOf = (from: string, to: string) => ({ fromDate: `${from}T00:00:00`, toDate: `${to}T23:59:59` });
    const wanted = (day: string) => (byDay.get(keyOf(row, day)) ?? []).toSorted((one, other) => one - other);
    for (const day of days) {
      const found = await ask(row.period === 'day' ? { date: `${day}T12:00:00` } : rangeOf(day, day));
      expect(found, `${name} of ${day}`).toEqual(wanted(day));
    }
    if (row.period === 'range') {
      const all = expected.filter(({ method, list }) => method === row.method && list === row.list);
      const found = await ask(rangeOf(days[0] ?? '', days.at(-1) ?? ''));
      expect([found.length, sumOf(found)]).toEqual([all.length, sumOf(all.map(({ cents }) => cents))]);
    }
  }
  return expected.length;
}

function centsOf({ method, period, form }: ReportRow, payload: string): number[] {
  const inCents = (text = '') => Math.round(Number(text) * 100);
  if (form === 'XML') return [...payload.matchAll(/<AMT>([^<]*)</g)].map(([, text]) => inCents(text));
  const file = Buffer.from(/<FILE>([^<]*)</.exec(payload)?.[1] ?? '', 'base64').toString();
  const column = period === 'range' ? 6 : method === 'card' ? 9 : 8;
  const rows = file.split('\r\n').slice(1, -1);
  return rows.map((line) => inCents(line.split(',')[column]));
}

function sumOf(cents: readonly number[]): number {
  return cents.reduce((sum, more) => sum + more, 0);
}

/** Lists the days from one to another, as `2026-06-15`. */
export function daysBetween(first: string, last: string): string[] {
  const [from, to] = [Date.parse(first), Date.parse(last)];
  return Array.from({ length: (to - from) / DAY_MS + 1 }, (_, index) =>
    new Date(from + index * DAY_MS).toISOString().slice(0, 10),
  );
}
