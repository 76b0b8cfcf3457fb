import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchState } from '../../../schemas/lifecycle.ts';
import { buildProgram } from '../../support/build-program.ts';
import { givenQueue } from '../../support/given-engines.ts';
import { agentCodeOf, makeInstallation, PASSWORD } from '../../support/installation.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { openTestPool, startTestPostgres } from '../../support/postgres.ts';
import { type Daemon, type DaemonOptions, startDaemon } from '../../support/daemon.ts';
import { SEARCH_PATH } from '../../../src/ledger/engine/schema.ts';

/** An installation whose ledger the test can inspect, and processes that work on it. */
export type CrashSite = {
  readonly root: string;
  readonly databaseUrl: string;
  /** Starts a process, which is killed when the site is closed. */
  start(options?: Omit<DaemonOptions, 'root' | 'program'>): Daemon;
  /** Drops a file of ACH charges into the account's folder, all at once. */
  dropCharges(account: string, name: string, rows: number): Promise<void>;
  drop(folder: string, name: string, content: string): Promise<void>;
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Returns the batches of an account in the order of their files. */
  batches(account: string): Promise<Batch[]>;
  /** Returns the moves in the audit trail of all batches of an account. */
  moves(account: string): Promise<string[]>;
  stopOf(account: string): Promise<string | undefined>;
  /** Returns an account's entries of the send journal. */
  journal(account: string): Promise<{ attempt: number; answer?: Record<string, unknown> }[]>;
  outputs(ending: string): Promise<string[]>;
  close(): Promise<void>;
};

export type Batch = {
  file_id: string;
  name: string;
  batch_no: number;
  state: BatchState;
  attempt: number;
  batch_id: string | null;
  reason: string | null;
};

export type SiteOptions = {
  accounts: readonly string[];
  serviceUrl: string;
  /** Settings of every account. */
  account?: Record<string, unknown>;
  /** Settings of single accounts, by name. */
  special?: Record<string, Record<string, unknown>>;
  /** Settings at the top level. */
  settings?: Record<string, unknown>;
  env?: Record<string, string>;
};

export async function openCrashSite(options: SiteOptions): Promise<CrashSite> {
  const [program, postgres] = await Promise.all([buildProgram(), startTestPostgres()]);
  const installation = await makeInstallation({
    accounts: options.accounts,
    serviceUrl: options.serviceUrl,
    settings: {
      accounts: Object.fromEntries(options.accounts.map((name) => [name, accountConfig(name, options)])),
      ...options.settings,
    },
  });
  const pool = openTestPool({ connectionString: postgres.url, options: `-c search_path=${SEARCH_PATH}`, max: 4 });
  pool.on('error', () => {});
  const daemons: Daemon[] = [];
  const queue = await givenQueue();
  const query = async <Row extends object>(sql: string, values: unknown[] = []) =>
    (await pool.query<Row>(sql, values)).rows;

  const site: CrashSite = {
    root: installation.root,
    databaseUrl: postgres.url,
    start: (started = {}) => {
      const env = { DATABASE_URL: postgres.url, ...queue, ...options.env, ...started.env };
      const daemon = startDaemon({ ...started, program, root: installation.root, env });
      daemons.push(daemon);
      return daemon;
    },
    drop: (folder, name, content) => installation.drop(folder, name, content),
    dropCharges: (account, name, rows) =>
      installation.drop(
        `${account}/ach-charge`,
        name,
        lines(upTo(rows).map((n) => achRow(n, { invoice: `${account}-${name}-${n}` }))),
      ),
    query,
    batches: (account) =>
      query<Batch>(
        `SELECT file_id, name, batch_no, b.state, attempt, batch_id, b.reason FROM batch b JOIN file f USING (file_id)
         WHERE b.account = $1 ORDER BY file_no, batch_no`,
        [account],
      ).catch(noTablesYet),
    moves: async (account) => {
      const rows = await query<{ move: string }>(
        `SELECT move FROM audit JOIN file USING (file_id) WHERE account = $1 AND batch_no IS NOT NULL
         AND move <> 'cut' ORDER BY seq`,
        [account],
      );
      return rows.map(({ move }) => move);
    },
    stopOf: async (account) => {
      const rows = await query<{ reason: string }>('SELECT reason FROM account_stop WHERE account = $1', [account]);
      return rows[0]?.reason;
    },
    journal: async (account) => {
      const text = await readFile(join(installation.root, 'data/journal/sends.jsonl'), 'utf8');
      const entries = text.split('\n').filter((line) => line !== '');
      return entries.map((line) => JSON.parse(line)).filter((entry) => entry.account === account && !('kind' in entry));
    },
    outputs: async (ending) => {
      const names = await readdir(join(installation.root, 'out')).catch(() => []);
      return names.filter((name) => name.endsWith(ending));
    },
    close: async () => {
      for (const daemon of daemons) await daemon.kill();
      await pool.end();
      await postgres.stop();
      await installation.remove();
      await program.remove();
    },
  };
  return site;
}

/** Returns the settings of an account. Unless the options say so, results are not polled for. */
function accountConfig(name: string, { serviceUrl, account, special }: SiteOptions): Record<string, unknown> {
  return {
    server: 'NA',
    country: 'US',
    currency: 'USD',
    agentCode: agentCodeOf(name),
    password: PASSWORD,
    baseUrl: serviceUrl,
    poll: { firstMs: 3_600_000, factor: 1, longestMs: 3_600_000 },
    ...account,
    ...special?.[name],
  };
}

/** The tables do not exist until a process has made the schema. */
function noTablesYet(error: unknown): never[] {
  if ((error as { code?: string }).code === '42P01') return [];
  throw error;
}
