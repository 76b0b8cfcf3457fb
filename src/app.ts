import type { OperationName } from '../schemas/operations.ts';
import { createGateway, type Gateway, type GatewaySettings } from './gateway/create-gateway.ts';
import { createReportClient, type ReportClient } from './gateway/reports/create-report-client.ts';
import { type Account, type Folder, loadSettings, type Settings } from './config/config.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { PipelineError, reasonOf, systemCode } from './kernel/errors.ts';
import { withRefusalExplained } from './ledger/engine/explain-refusal.ts';
import { countLines, type Log } from './kernel/log.ts';
import { type Health, startHealth, type Tally } from './kernel/health.ts';
import { openWaitingDrops, type WaitingDrops } from './files/waiting-drops.ts';
import { readVaultKey } from './ledger/key/master-keys.ts';
import { type Ledger, openLedger } from './ledger/engine/open-ledger.ts';
import { type Charged, mustBeBound, presentName } from './ledger/merchant/bound-accounts.ts';
import { readBindings, type NamedAccount } from './ledger/merchant/bind-accounts.ts';
import { serviceAddress } from './gateway/service-address.ts';
import { isSandbox } from './gateway/transport/ask-time.ts';
import { COMPARE, type FolderMark, openFolderMark, sayPutBack } from './ledger/admission/folder-mark.ts';
import { openSendJournal, type SendJournal } from './ledger/admission/send-journal.ts';
import { openKeys, type OpenPgpKeys } from './pgp/open-keys.ts';
import type { Queue, QueueBackend } from './queue/open-queue.ts';
import { openTelemetry, type Telemetry } from './telemetry/open-telemetry.ts';
import { openThread, type WorkThread } from './thread/open-thread.ts';
import { type Fingerprinter, newFingerprintKey, openFingerprinter } from './crypto/fingerprints/fingerprint.ts';
import { findKeyPlace } from './crypto/key-place.ts';
import { type KeyRing, openKeyRing } from './crypto/key-ring.ts';

/** Everything the stages work with. Opened in one place, closed in reverse order. */
export type App = {
  /** A running process exchanges its folders and alarms when the file is changed (workers/follow-settings.ts). */
  readonly settings: Settings;
  /** Reads the configuration as it is now. @throws PipelineError CONFIG_MISSING, CONFIG_INVALID, RESTRICTED */
  rereadSettings(): Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly health: Health;
  readonly waiting: WaitingDrops;
  readonly telemetry: Telemetry;
  readonly thread: WorkThread;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly journal: SendJournal;
  readonly folderMark: FolderMark;
  readonly keys: KeyRing;
  readonly fingerprint: Fingerprinter;
  account(name: string): Account;
  /**
   * Returns how amounts and times of an account are written. Work of an account that has left the configuration, or that
   * was taken when its name meant something else, still gets its outputs.
   */
  style(account: string): { readonly timeZone: string; readonly currency: string };
  folder(id: string): Folder | undefined;
  /** Returns the service of the merchant that something was taken for. @throws PipelineError MERCHANT_CHANGED */
  gateway(of: Charged): Gateway;
  /** Returns the client for the service's transaction reports. @throws PipelineError MERCHANT_CHANGED */
  reports(of: Charged): ReportClient;
  /** Asks the service of an account for its time (Gateway.askTime). */
  askTime(account: string): Promise<Date | undefined>;
  /** Undefined when the account has no OpenPGP keys, so its drops cannot be encrypted. Throws PGP_KEY. */
  openPgpKeys(account: string): Promise<OpenPgpKeys> | undefined;
  close(): Promise<void>;
};

/**
 * Opens the parts of an app.
 * @param options.meanwhile called while the database starts, to load what is needed later; perhaps more than once
 * @param options.queue an open queue to use instead of the configured one; it is closed with the rest
 * @throws PipelineError for anything that is missing or does not respond
 */
export async function openApp(
  settings: Settings,
  options: {
    log: Log;
    env: NodeJS.ProcessEnv;
    clock?: Clock;
    databaseClock?: Clock;
    fsync?: boolean;
    queue?: Queue;
    meanwhile?: () => void;
  },
): Promise<App> {
  const { log, clock = systemClock } = options;
  const keys = openKeyRing(findKeyPlace(settings, options.env));
  const closers: (() => Promise<void>)[] = [];
  const close = () => closeAll(closers);
  try {
    const health = startHealth(clock);
    countLines(log, ({ level }) => health.tally.add('paydrop_log_lines_total', { level }));
    const telemetry = await openTelemetry(settings.otlpUrl, settings.otlpShare);
    closers.push(() => telemetry.close());
    const thread = openThread();
    closers.push(() => thread.close());
    const place = settings.databaseUrl
      ? { url: settings.databaseUrl }
      : { dataDir: settings.paths.data, fsync: options.fsync ?? true };
    const { databaseClock = clock } = options;
    // Takes as long as the start of the database, and must not delay it.
    let loading: Promise<typeof import('./queue/open-queue.ts')> | undefined;
    const meanwhile = () => {
      loading ??= import('./queue/open-queue.ts');
      options.meanwhile?.();
    };
    const ledger = await openLedger(place, { clock, databaseClock, log, tally: health.tally, meanwhile });
    closers.push(() => ledger.close());
    log.setBindings({ instance: ledger.instance.id });
    const fingerprint = await openFingerprints(keys, ledger);
    const journal = await openSendJournal(settings.paths.journal, { mirror: settings.paths.mirror });
    closers.push(() => journal.close());
    const folderMark = await openFolderMark(settings.paths.journal, clock);
    if (folderMark.isPutBackNow) log.error({ code: 'JOURNAL_AHEAD' }, `${sayPutBack(folderMark.putBack!)}. ${COMPARE}`);
    const { openQueue } = await (loading ?? import('./queue/open-queue.ts'));
    const queue =
      options.queue ??
      (await openQueue(queuePlace(settings, ledger), log, { site: settings.site }).catch(throwExplained));
    closers.push(() => queue.close());
    const parts = {
      settings,
      clock,
      log,
      health,
      waiting: openWaitingDrops(),
      telemetry,
      thread,
      ledger,
      queue,
      journal,
      folderMark,
      keys,
      fingerprint,
    };
    await readBindings(ledger, namedAccounts(settings, fingerprint));
    const rereadSettings = () =>
      loadSettings(settings.root, { ...options.env, PAYDROP_SITE: settings.site }, settings.features);
    return { ...parts, ...lookUps(settings, health.tally, ledger), rereadSettings, close };
  } catch (error) {
    // The reason why the start failed matters more than what fails during cleanup.
    await close().catch((trouble: unknown) => log.warn(`closing after a failed start: ${reasonOf(trouble)}`));
    throw error;
  }
}

async function openFingerprints(keys: KeyRing, ledger: Ledger): Promise<Fingerprinter> {
  return openFingerprinter(keys, await readVaultKey(ledger, 'fingerprint', () => newFingerprintKey(keys.current)));
}

/**
 * Sets which accounts a program without an app may use. Returns the function for keyed fingerprints.
 * @throws PipelineError when the master key cannot be used
 */
export async function bindWithoutApp(
  ledger: Ledger,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<Fingerprinter> {
  const fingerprint = await openFingerprints(openKeyRing(findKeyPlace(settings, env)), ledger);
  await readBindings(ledger, namedAccounts(settings, fingerprint));
  return fingerprint;
}

/** Closes everything in reverse, even if one fails: a process with an open connection never ends. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let closer = closers.pop(); closer; closer = closers.pop()) {
    await closer().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** A queue beside the ledger is the first to write to a standby, and its error would blame the queue. */
function throwExplained(error: unknown): never {
  const cause = error instanceof Error ? error.cause : undefined;
  throw systemCode(cause) === '25006' ? withRefusalExplained(cause) : error;
}

function queuePlace(settings: Settings, ledger: Ledger): QueueBackend {
  return settings.redisUrl
    ? { kind: 'redis', url: settings.redisUrl }
    : { kind: 'postgres', connection: ledger.connection };
}

function lookUps(
  settings: Settings,
  tally: Tally,
  ledger: Ledger,
): Pick<App, 'account' | 'style' | 'folder' | 'gateway' | 'reports' | 'askTime' | 'openPgpKeys'> {
  const account = (name: string) => {
    const found = settings.accounts.get(name);
    if (!found) throw new PipelineError('NOT_FOUND', `use account "${name}"`, 'it is no longer in the configuration');
    return found;
  };
  const gateways = new Map<string, Gateway>();
  const gatewayOf = (settled: Account) => {
    const gateway = gateways.get(settled.name) ?? timeCalls(createGateway(gatewaySettings(settled)), tally);
    gateways.set(settled.name, gateway);
    return gateway;
  };
  const keys = new Map<string, Promise<OpenPgpKeys>>();
  return {
    account,
    style: (name) => {
      const { timeZone = 'UTC', currency = '' } =
        settings.accounts.get(name) ?? settings.accounts.get(presentName(name)) ?? {};
      return { timeZone, currency: ledger.meanings.get(name)?.currency ?? currency };
    },
    folder: (id) => [...settings.folders, ...settings.leftFolders].find((folder) => folder.id === id),
    gateway: (charged) => {
      const settled = account(charged.account);
      mustBeBound(ledger, charged);
      return gatewayOf(settled);
    },
    reports: (charged) => {
      const settled = account(charged.account);
      mustBeBound(ledger, charged);
      return createReportClient(reportSettings(settled));
    },
    askTime: (name) => gatewayOf(account(name)).askTime(),
    openPgpKeys: (name) => {
      const { openpgp } = account(name);
      if (!openpgp) return undefined;
      const opened = keys.get(name) ?? openKeys(openpgp, name);
      keys.set(name, opened);
      return opened;
    },
  };
}

/** Reports how long each call took, from the connection on, and what kind of answer came. */
function timeCalls(gateway: Gateway, tally: Tally): Gateway {
  const time = async <Answer>(operation: string, call: Promise<Answer>, kindOf: (answer: Answer) => string) => {
    const began = performance.now();
    const note = (answer: string) =>
      tally.add('paydrop_call_seconds', { operation, answer }, (performance.now() - began) / 1_000);
    try {
      const answer = await call;
      note(kindOf(answer));
      return answer;
    } catch (error) {
      note('error');
      throw error;
    }
  };
  return {
    submitBatch: (call) => time(call.operation, gateway.submitBatch(call), ({ kind }) => kind),
    fetchBatchResult: (call) => time(RESULT, gateway.fetchBatchResult(call), ({ kind }) => kind),
    askTime: () => time('clock', gateway.askTime(), (at) => (at ? 'done' : 'failed')),
  };
}

const RESULT = 'getBatchProcessResultFile' satisfies OperationName;

/** A start waits no longer for a service that does not answer; what it said before then holds. */
const LONGEST_ASK_MS = 5_000;

/** Returns the accounts of the configuration as the ledger knows them: whom they mean, without their secrets. */
export function namedAccounts({ accounts }: Pick<Settings, 'accounts'>, mark: Fingerprinter): NamedAccount[] {
  return [...accounts.values()].map(({ name, server, country, currency, agentCode, baseUrl, connectTimeoutMs }) => {
    const url = serviceAddress(server, baseUrl);
    const address = url.href;
    return {
      name,
      server,
      country,
      currency,
      address,
      mark: mark(['merchant', server, address, agentCode]).toString('hex'),
      sandboxMark: mark(['merchant', server, address, agentCode, 'sandbox']).toString('hex'),
      agentMark: mark(['agent', server, agentCode]).toString('hex'),
      saysSandbox: () =>
        isSandbox({ address: url, connectTimeoutMs: Math.min(connectTimeoutMs, LONGEST_ASK_MS), network: {} }),
    };
  });
}

/** Returns what the service client needs to know of an account. */
export function gatewaySettings(account: Account): GatewaySettings {
  const { server, agentCode, password, currency, connectTimeoutMs, answerTimeoutMs, baseUrl } = account;
  const settings = { server, agentCode, password, currency, connectTimeoutMs, answerTimeoutMs };
  return baseUrl === undefined ? settings : { ...settings, baseUrl };
}

/** Reports list every payment in a time range; the usual response limit would cut off those of a busy account. */
const LARGEST_REPORT_ANSWER_BYTES = 50 * 1024 * 1024;

/** Returns what the report client needs to know of an account. */
export function reportSettings({ server, agentCode, password, baseUrl, connectTimeoutMs, answerTimeoutMs }: Account) {
  const timeouts = { connectMs: connectTimeoutMs, answerMs: answerTimeoutMs };
  return { server, agentCode, password, baseUrl, timeouts, maxAnswerBytes: LARGEST_REPORT_ANSWER_BYTES };
}
