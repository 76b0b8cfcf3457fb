import { inspectServer, type ServerState } from '../../ledger/engine/open-ledger.ts';
import { findMissingMigrations } from '../../ledger/engine/migrate.ts';
import { bad, type Check, type Finding, findingOf, ok, type Patient, warn } from './check.ts';
import { inspectRedis, type RedisState } from '../../queue/redis-connection.ts';
import { type Account, foldersHere, type Remote } from '../../config/config.ts';
import { serviceAddress } from '../../gateway/service-address.ts';
import { openConnection } from '../../gateway/transport/open-connection.ts';
import { openRemote } from '../../files/remote/open-remote.ts';

/** The oldest version that still gets fixes. */
const OLDEST = 140_000;

/** A commit must be on disk when it is acknowledged, or a power cut undoes transitions that were acted upon. */
export const postgres: Check = {
  name: 'PostgreSQL',
  needs: 'ledger',
  async look({ ledger }) {
    const [server, missing] = await Promise.all([inspectServer(ledger), findMissingMigrations(ledger.pool)]);
    const findings = judgeServer(server);
    if (missing.length > 0)
      findings.push(
        warn(
          `the ledger lacks ${missing.join(', ')}`,
          'No action is needed: the next start of this version adds them.',
        ),
      );
    return findings.length > 0 ? findings : [ok(`version ${server.version}, every commit is on the disk`)];
  },
};

export function judgeServer(server: ServerState): Finding[] {
  const findings: Finding[] = [];
  if (server.versionNumber < OLDEST)
    findings.push(warn(`version ${server.version} is no longer supported`, 'Update PostgreSQL to 14 or newer.'));
  for (const [name, value] of [
    ['fsync', server.fsync],
    ['full_page_writes', server.fullPageWrites],
    ['synchronous_commit', server.synchronousCommit],
  ] as const) {
    if (value !== 'off') continue;
    findings.push(
      bad(`${name} is off: a power cut could lose the record of sent batches`, `ALTER SYSTEM SET ${name} = on;`),
    );
  }
  if (server.isStandby) findings.push(bad('the server is a read-only standby', 'Set DATABASE_URL to the primary.'));
  return findings;
}

/** Jobs may be lost without harm, so Redis trouble costs time, never money. */
export const queue: Check = {
  name: 'Queue',
  needs: 'ledger',
  async look({ settings, ledger }) {
    if (settings.redisUrl) return judgeRedis(await inspectRedis(settings.redisUrl));
    const { rows } = await ledger.pool.query<{ isThere: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'paydrop_queue') AS "isThere"`,
    );
    return [
      ok(
        rows[0]?.isThere
          ? 'it is in the database of the ledger'
          : 'it will be in the database of the ledger; the first start makes it',
      ),
    ];
  },
};

export function judgeRedis({ version, policy, isAppendOnly, refusal }: RedisState): Finding[] {
  const findings: Finding[] = [];
  if (refusal !== undefined)
    findings.push(
      bad(`Redis accepts no jobs: ${refusal}`, 'Fix this cause. Nothing is lost: the sweep creates the jobs again.'),
    );
  if (policy !== 'noeviction')
    findings.push(
      bad(
        `Redis discards keys when its memory is full (${policy})`,
        'redis-cli CONFIG SET maxmemory-policy noeviction',
      ),
    );
  if (!isAppendOnly)
    findings.push(
      warn('Redis loses its jobs when it stops; the sweep creates them again', 'redis-cli CONFIG SET appendonly yes'),
    );
  return findings.length > 0 ? findings : [ok(`Redis ${version} answers and keeps its jobs`)];
}

/** Opens a TCP and TLS connection as a call would, and closes it without sending a byte of a request. */
export const service: Check = {
  name: 'Service',
  needs: 'nothing',
  look: async ({ settings }) => Promise.all([...settings.accounts.values()].map(knock)),
};

async function knock({ name, server, baseUrl, connectTimeoutMs }: Account): Promise<Finding> {
  try {
    const address = serviceAddress(server, baseUrl);
    const opened = await openConnection(address, connectTimeoutMs, {});
    if (opened.kind === 'open') {
      opened.connection.close();
      return ok(`account ${name}: ${address.host} can be reached`);
    }
    return bad(
      `account ${name}: ${address.host} cannot be reached: ${opened.why}`,
      'Check the network, firewall and baseUrl. Nothing is lost; the batches wait.',
    );
  } catch (error) {
    return findingOf(error, bad);
  }
}

/** Logs in to every SFTP server used for pulls or pushes here, and lists the folders there. */
export const sftpServers: Check = {
  name: 'SFTP servers',
  needs: 'nothing',
  async look({ settings }) {
    const folders = foldersOn(settings);
    const remotes = [...settings.remotes.values()].filter(({ name }) => folders.has(name));
    const found = await Promise.all(remotes.map((remote) => visit(remote, [...folders.get(remote.name)!])));
    return found.flat();
  },
};

function foldersOn(settings: Patient['settings']): Map<string, Set<string>> {
  const pulls = foldersHere(settings).flatMap(({ pull }) => pull ?? []);
  const folders = new Map<string, Set<string>>();
  for (const { remote, path } of [...pulls, ...settings.push])
    folders.set(remote, (folders.get(remote) ?? new Set()).add(path));
  return folders;
}

/** Checks all folders of a server with one log-in; some servers block clients that log in often. */
async function visit(remote: Remote, folders: readonly string[]): Promise<Finding[]> {
  try {
    const session = await openRemote(remote);
    try {
      const findings: Finding[] = [];
      for (const folder of folders) findings.push(await lookInto(folder, remote, () => session.list(folder)));
      return findings;
    } finally {
      await session.close();
    }
  } catch (error) {
    return [findingOf(error, bad)];
  }
}

async function lookInto(folder: string, { name }: Remote, list: () => Promise<unknown[]>): Promise<Finding> {
  try {
    const files = await list();
    return ok(`remote ${name}: ${folder} can be listed, files in it: ${files.length}`);
  } catch (error) {
    return findingOf(error, (found, mend) => bad(`remote ${name}: ${folder}: ${found}`, mend));
  }
}
