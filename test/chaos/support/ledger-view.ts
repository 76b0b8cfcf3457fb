import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { isMoving } from '../../../src/ledger/overview/overview.ts';

/** Finds the embedded server of an installation. */
export async function findEmbedded(root: string): Promise<{ host: string; port: number; database: string }> {
  const [, , , port, host] = (await readFile(pidFileOf(root), 'utf8')).split('\n');
  return { host: host!, port: Number(port), database: 'paydrop' };
}

/** Returns the id of the process to kill. */
export async function findPostmaster(root: string): Promise<number | undefined> {
  const text = await readFile(pidFileOf(root), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text.split('\n')[0]);
}

function pidFileOf(root: string): string {
  return join(root, 'data', 'postgres', 'data', 'postmaster.pid');
}

/** The database of an installation, seen from outside. It never starts the server, and survives the server's death. */
export type LedgerView = {
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Returns whether nothing is in progress; false too while the server does not answer. */
  isAtRest(): Promise<boolean>;
  close(): Promise<void>;
};

/** How long the server may be away, in ms; a killed one must replay its log first. */
const PATIENCE_MS = 30_000;

/** @param find returns where the server can be reached now */
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
    // The next query detects the server's death.
    fresh.on('error', () => {});
    await fresh.connect();
    return fresh;
  };
  // One query at a time, because they share a connection.
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
  // The product's own definition of rest, which needs only a ledger's queries and clock.
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
