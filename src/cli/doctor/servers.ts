import { inspectServer, type Ledger, type ServerState } from '../../ledger/engine/open-ledger.ts';
import { explainNotMade, type FoundFunctions, inspectFunctions } from '../../ledger/engine/functions.ts';
import { findMissingMigrations } from '../../ledger/engine/migrate.ts';
import { listMigrations } from '../../ledger/engine/schema.ts';
import { bad, type Check, type Finding, findingOf, ok, type Patient, warn } from './check.ts';
import { inspectRedis, type RedisState } from '../../queue/redis-connection.ts';
import type { Account } from '../../config/config.ts';
import { serviceAddress } from '../../gateway/service-address.ts';
import { openConnection } from '../../gateway/transport/open-connection.ts';
import { askTime } from '../../gateway/transport/ask-time.ts';
import { counted } from '../../kernel/counted.ts';
import { readPresentSkew, readSkews } from '../../ledger/doubt/in-doubt.ts';
import { describeWait } from '../../explain/attempt-words.ts';

/** The oldest version that still gets fixes. */
const OLDEST = 140_000;

/** A commit must be on disk when it is acknowledged, or a power cut undoes transitions that were acted upon. */
export const postgres: Check = {
  name: 'PostgreSQL',
  needs: 'ledger',
  async look({ ledger }) {
    const [server, missing, functions] = await Promise.all([
      inspectServer(ledger),
      findMissingMigrations(ledger.pool),
      inspectFunctions(ledger.pool),
    ]);
    const findings = judgeServer(server);
    if (missing.length > 0)
      findings.push(
        warn(
          missing.length === listMigrations().length
            ? 'the database has no ledger yet'
            : `the ledger lacks ${missing.join(', ')}`,
          'No action is needed: the next start of this version adds what is missing.',
        ),
      );
    if (missing.length < listMigrations().length) findings.push(...judgeFunctions(functions));
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

/** A process that runs with changed functions may send what the gate in the database should hold. */
function judgeFunctions(functions: FoundFunctions): Finding[] {
  if (functions.state === 'whole') return [];
  if (!functions.mayMake) {
    const [found, { next }] = explainNotMade(functions);
    return [bad(found, next)];
  }
  if (functions.state === 'missing')
    return [
      warn(
        "this version's functions are not in the database yet",
        'No action is needed: the next start of this version makes them.',
      ),
    ];
  return [
    bad(
      "this version's functions were changed in the database, so its checks before a send may be missing",
      'Start every paydrop process again: the next start makes them anew. Find out who changed them.',
    ),
  ];
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
      warn(
        'Redis loses its jobs when it stops; work is then found one sweep later',
        'redis-cli CONFIG SET appendonly yes',
      ),
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

const LITTLE_MS = 2_000;
const MUCH_MS = 60_000;

/** Leases use the clock of the database, waits the clock of the host, and reports the clock of the service. */
export const clock: Check = {
  name: 'Clock',
  needs: 'ledger',
  async look(patient) {
    const accounts = [...patient.settings.accounts.values()];
    const services = await Promise.all(accounts.map((account) => compareService(patient.ledger, account)));
    return [await compareHost(patient), ...services.flat(), ...(await judgeCalls(patient.ledger))];
  },
};

async function compareHost({ ledger, clock: host }: Patient): Promise<Finding> {
  const asked = host.now().getTime();
  const { now } = await inspectServer(ledger);
  const answered = host.now().getTime();
  const aheadMs = (asked + answered) / 2 - now.getTime();
  const apartMs = Math.abs(aheadMs) - (answered - asked) / 2;
  const found = `the clock of this host is ${timeOf(apartMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the database`;
  const remedy = `${COMPARE} Set the wrong host's clock by NTP: timedatectl set-ntp true`;
  if (apartMs > MUCH_MS) return bad(found, remedy);
  return apartMs > LITTLE_MS ? warn(found, remedy) : ok('this host and the database agree on the time');
}

/** Returns nothing when the service cannot be reached; another check reports that. */
async function compareService(
  ledger: Ledger,
  { name, server, baseUrl, connectTimeoutMs }: Account,
): Promise<Finding[]> {
  const address = serviceAddress(server, baseUrl);
  const present = await readPresentSkew(ledger, () => askTime({ address, connectTimeoutMs, network: {} }));
  if (!present) return [];
  const { skewMs, isAhead } = present;
  if (skewMs <= MUCH_MS) return [ok(`account ${name}: the service and the database agree on the time`)];
  const found = `account ${name}: the clock of the service is ${timeOf(skewMs)} ${isAhead ? 'ahead of' : 'behind'} that of the database`;
  return [bad(found, WRONG_NOW)];
}

async function judgeCalls(ledger: Ledger): Promise<Finding[]> {
  const wrong = (await readSkews(ledger)).filter(({ skewMs }) => skewMs > MUCH_MS);
  return wrong.map(({ account, skewMs }) =>
    warn(
      `account ${account}: at one of the last calls the clocks of the service and the database were ${timeOf(skewMs)} apart`,
      WRONG_THEN,
    ),
  );
}

const COMPARE = 'Compare both with a third clock.';

const WRONG_NOW = `${COMPARE} If the database is wrong, set its host's clock by NTP: timedatectl set-ntp true. If the service is wrong, tell its support. Nothing is charged twice because of it. From 5 minutes on no report can prove that a payment in doubt was not charged.`;

const WRONG_THEN =
  'If the clocks agree now, no action is needed. From 5 minutes on no report can prove that a payment in doubt, sent in that call or before it, was not charged.';

function timeOf(ms: number): string {
  if (ms < 120_000) return counted(Math.round(ms / 1_000), 'second');
  return describeWait(Math.round(ms / 60_000) * 60_000);
}
