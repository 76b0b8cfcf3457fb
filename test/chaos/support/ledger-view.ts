import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { isMoving } from '../../../src/ledger/overview/overview.ts';

/** The embedded server of an installation. */
export async function findEmbedded(root: string): Promise<{ host: string; port: number; database: string }> {
  const [, , , port, host] = (await readFile(pidFileOf(root), 'utf8')).split('\n');
  return { host: host!, port: Number(port), database: 'paydrop' };
}

/** The process to kill. */
export async function findPostmaster(root: string): Promise<number | undefined> {
  const text = await readFile(pidFileOf(root), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text.split('\n')[0]);
}

function pidFileOf(root: string): string {
  return join(root, 'data', 'postgres', 'data', 'postmaster.pid');
}

/** The database of an installation, looked at from outside: it never starts the server, and outlives its death. */
export type LedgerView = {
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Whether nothing is on its way; false also while the server does not answer. */
  isAtRest(): Promise<boolean>;
  close(): Promise<void>;
};

/** How long the server may be away, in ms; one that was killed has to read its log again. */
const PATIENCE_MS = 30_000;

/** @param find where the server is to be reached at this moment */
export function viewLedger(find: () => Promise<{ host: string; port: number; database: string }>): LedgerView {
  let client: pg.Client | undefined;

  const connect = async () => {
    const fresh = new pg.Client({
      ...(await find()),
      user: 'paydrop',
      ssl: false,
      options: '-c search_path=paydrop',
      connectionTimeoutMillis: 5_000,
    });
    fresh.setTypeParser(pg.types.builtins.INT8, Number);
    // The death of the server is found by the next question.
    fresh.on('error', () => {});
    await fresh.connect();
    return fresh;
  };
  // One question at a time, as a connection wants it.
  let last: Promise<unknown> = Promise.resolve();
  const ask = <Row extends object>(sql: string, values?: unknown[]): Promise<Row[]> => {
    const answer = last.then(() => askNow<Row>(sql, values));
    last = answer.catch(() => {});
    return answer;
  };
  const askNow = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> => {
    try {
      client ??= await connect();
      return (await client.query<Row>(sql, values)).rows;
    } catch (error) {
      const broken = client;
      client = undefined;
      await broken?.end().catch(() => {});
      throw error;
    }
  };
  const query = async <Row extends object>(sql: string, values?: unknown[]): Promise<Row[]> => {
    for (const end = performance.now() + PATIENCE_MS; ; await sleep(100)) {
      try {
        return await ask<Row>(sql, values);
      } catch (error) {
        if (error instanceof pg.DatabaseError && /^(?:42|22)/.test(error.code ?? '')) throw error;
        if (performance.now() > end) throw error;
      }
    }
  };
  // What the product itself calls at rest; of the ledger it needs the questions and the clock.
  const pool = { query: async (sql: string, values?: unknown[]) => ({ rows: await ask(sql, values) }) };
  const ledger = { pool, clock: systemClock } as unknown as Ledger;
  return {
    query,
    isAtRest: async () => {
      try {
        if (await isMoving(ledger)) return false;
        const { intake, submit, deliver } = await findDueWork(ledger);
        return intake.length + submit.length + deliver.length === 0;
      } catch {
        return false;
      }
    },
    close: async () => {
      await client?.end().catch(() => {});
      client = undefined;
    },
  };
}
