import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/start-sandbox.ts';
import type { Call, CliCommand } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { aborted, withStopSignal } from '../process/stop-signal.ts';
import { PipelineError, reasonOf } from '../../kernel/errors.ts';
import type { NotedCall } from '../../sandbox/calls/note-call.ts';
import { readScript, type ScriptedCall } from '../../sandbox/calls/play-script.ts';
import { wholeNumber } from '../option-values.ts';
import { type HistoryOptions, LARGEST_SEED, MOST_DAYS, MOST_PAYMENTS } from '../../sandbox/history/plan-history.ts';
import { systemClock } from '../../kernel/clock.ts';
import { groupedCount } from '../../kernel/counted.ts';
import { quoteWord } from '../print/paydrop-line.ts';
import type { Server } from '../../../schemas/operations.ts';
import { isLoopback } from '../../sandbox/page/serve-page.ts';
import { STRICT_RULE_IDS, type StrictRule } from '../../../schemas/sandbox/strict-rules.ts';
import { sayErr } from '../print/say.ts';

/** The accounts that samples/paydrop.yaml and `paydrop init` use. */
export const SANDBOX_ACCOUNTS = 'TEST88:TEST88,TESTCA:TESTCA';

/** The switches of `paydrop sandbox`; docs/sandbox.md explains each. */
export const SANDBOX_SWITCHES = [
  ['--port <number>', 'port to listen on; 0 for any free port', '8899'],
  ['--port-uk <number>', 'second port, which answers as the UK server; the first is North America then'],
  ['--tls', 'serve HTTPS, with a certificate of a throw-away CA'],
  ['--tls-names <list>', 'more host names for the certificate, separated by commas'],
  ['--host <address>', 'address to listen on', '127.0.0.1'],
  [
    '--accounts <list>',
    'merchant accounts as CODE:PASSWORD, separated by commas; a suffix @NA or @UK binds one to that server',
    SANDBOX_ACCOUNTS,
  ],
  ['--now <time>', 'start its clock at this time, such as 2026-06-15T09:00:00Z'],
  ['--data <folder>', 'keep its books in this folder, so that they survive a crash'],
  ['--history <days>', 'begin with traffic of this many days, such as 30d; 30d:7 draws it from another seed'],
  ['--history-size <number>', 'how many payments that is in all accounts together; 40 a day in each when left out'],
  ['--batch-delay <ms>', 'how long a batch takes', '1000'],
  ['--max-rows <number>', 'most rows of a batch', '10000'],
  ['--no-card-duplicates', 'charge a card row again when it is sent again'],
  ['--refunds-may-exceed', 'let refunds pay back more than was charged'],
  ['--refunds-need-settlement', 'refuse to pay back a bank charge before the bank has accepted it'],
  ['--cut-long-values', 'cut texts that are too long instead of refusing them'],
  ['--lenient', 'answer as clients hope: apply none of the strict rules of docs/reference/sandbox-rules.md'],
  ['--allow <list>', 'strict rules not to apply, by their names there, separated by commas'],
  ['--cards-valid-at <day>', 'judge the expiry of cards as on this day, such as 2017-06-15, instead of by the clock'],
  ['--no-public-suites', 'let the old cards of the public PHP suite expire'],
  ['--record <file>', 'write each call with its answer, both masked, to this new file'],
  [
    '--replay <file>',
    'demand the calls of such a file, in order, and answer as recorded; exit status 1 if others come',
  ],
  ['--page-for-all', 'show its page to browsers of other machines too; takes a --host that they reach'],
  ['--control', 'allow HTTP calls that move its clock, settle bank payments, empty its books and plan faults'],
] as const satisfies CliCommand['options'];

export const sandbox: CliCommand = {
  name: 'sandbox',
  about: 'Run a sandbox of the payment service; no money moves',
  options: SANDBOX_SWITCHES,
  examples: [
    'sandbox',
    'sandbox --port 9000 --data books --now 2026-06-15T09:00:00Z',
    'sandbox --control --accounts TEST88:TEST88,UDDD88:UDDD88@UK',
    'sandbox --history 90d:7 --history-size 100000',
  ],
  async run({ options }) {
    const wanted = readSandboxOptions(options);
    const { record, replay } = options as Partial<Record<'record' | 'replay', string>>;
    const log = openCommandLog();
    const script = replay === undefined ? {} : { script: await readScriptFile(replay) };
    const tape = record === undefined ? undefined : await openTape(record);
    return withStopSignal(async (stop) => {
      const kept = { ...wanted, ...script, ...(tape && { onCall: tape.write }), log };
      const service = await startSandbox(withProgress(kept));
      let caFile: string | undefined;
      try {
        if (service.ca !== undefined) caFile = await writeCa(service.ca, wanted.dataDir);
        sayErr(startLines(service, wanted, caFile).join('\n'));
        await aborted(stop);
      } finally {
        await service.close();
        await tape?.close();
        if (caFile !== undefined && wanted.dataDir === undefined) await rm(dirname(caFile), { recursive: true });
      }
      const complaints = service.complaints();
      for (const complaint of complaints) sayErr(complaint);
      return complaints.length === 0 ? EXIT.ok : EXIT.usage;
    });
  },
};

/** @throws USAGE when the file cannot be read or holds no calls */
async function readScriptFile(path: string): Promise<ScriptedCall[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new PipelineError('USAGE', `replay "${path}"`, reasonOf(error), { next: 'Name a recorded file.' });
  });
  return readScript(text);
}

/**
 * Opens a new file that takes a line for each call.
 * @throws USAGE when it exists or cannot be written
 */
async function openTape(path: string): Promise<{ write(call: NotedCall): void; close(): Promise<void> }> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new PipelineError('USAGE', `record to "${path}"`, reasonOf(error), {
      next: 'Name a file that is not there.',
    });
  });
  let last: Promise<void> = Promise.resolve();
  return {
    write: (call) => {
      last = last.then(() => file.appendFile(`${JSON.stringify(call)}\n`));
      // Closing reports the failure.
      last.catch(() => undefined);
    },
    close: async () => {
      try {
        await last;
      } finally {
        await file.close();
      }
    },
  };
}

/** Says how far a history is, about once a second. */
function withProgress(wanted: SandboxOptions): SandboxOptions {
  if (!wanted.history) return wanted;
  let saidMs = systemClock.now().getTime();
  const onProgress = (made: number, size: number): void => {
    const nowMs = systemClock.now().getTime();
    if (nowMs - saidMs < 1000) return;
    saidMs = nowMs;
    sayErr(`Making the history: ${made.toLocaleString('en-US')} of ${groupedCount(size, 'payment')}.`);
  };
  return { ...wanted, history: { ...wanted.history, onProgress } };
}

/** Writes the certificate of the CA beside the books, else into a new folder of its own, and returns its path. */
async function writeCa(certificate: string, folder: string | undefined): Promise<string> {
  const path = join(resolve(folder ?? (await mkdtemp(join(tmpdir(), 'paydrop-sandbox-')))), 'sandbox-ca.pem');
  await writeFile(path, certificate);
  return path;
}

type TextSwitch = 'now' | 'data' | 'portUk' | 'tlsNames' | 'cardsValidAt';

type ReadOptions = SandboxOptions & Required<Pick<SandboxOptions, 'accounts'>>;

/** Returns what the sandbox says once it listens. */
export function startLines(
  { url, urlUk }: Pick<Sandbox, 'url' | 'urlUk'>,
  { accounts, dataDir }: Pick<ReadOptions, 'accounts' | 'dataDir'>,
  caFile: string | undefined,
): string[] {
  const codes = accounts.map(({ agentCode }) => agentCode).join(', ');
  return [
    `The sandbox listens on ${url} for the accounts ${codes}. Ctrl-C ends it.`,
    ...(urlUk === undefined ? [] : [`Its UK server listens on ${urlUk}.`]),
    ...(dataDir === undefined ? [BOOKS_END] : []),
    ...(caFile === undefined
      ? []
      : [`Clients must trust the certificate of its CA, ${caFile}:`, ...trustLines(caFile)]),
  ];
}

const BOOKS_END = 'Its books are lost when it ends; --data keeps them.';

/** How to make clients trust a CA, one line for each language. */
function trustLines(path: string): string[] {
  const file = quoteWord(path);
  return [
    `  curl     curl --cacert ${file}`,
    `  PHP      php -d openssl.cafile=${file} -d curl.cainfo=${file}`,
    `  Python   export REQUESTS_CA_BUNDLE=${file} SSL_CERT_FILE=${file}`,
    `  Ruby     export SSL_CERT_FILE=${file}`,
    `  Perl     export PERL_LWP_SSL_CA_FILE=${file} HTTPS_CA_FILE=${file}`,
    `  Node     export NODE_EXTRA_CA_CERTS=${file}`,
    `  .NET     export SSL_CERT_FILE=${file}   (mono: cert-sync --user ${file})`,
    `  Java     keytool -importcert -noprompt -alias sandbox -storepass changeit -keystore trust.jks -file ${file}`,
    '           then java -Djavax.net.ssl.trustStore=trust.jks -Djavax.net.ssl.trustStorePassword=changeit',
  ];
}

/**
 * Parses all switches before using any: a sandbox that listens and then fails would keep its port.
 * @throws PipelineError USAGE
 */
export function readSandboxOptions(options: Call['options']): ReadOptions {
  const { now, data, portUk, tlsNames, cardsValidAt } = options as Partial<Record<TextSwitch, string>>;
  const history = readHistory(options);
  const isTls = options['tls'] === true || tlsNames !== undefined;
  const names = tlsNames ?? '';
  if (now !== undefined && Number.isNaN(Date.parse(now))) {
    const next = 'Write it as 2026-06-15T09:00:00Z.';
    throw new PipelineError('USAGE', `start the sandbox at "${now}"`, 'it is not a time', { next });
  }
  if (cardsValidAt !== undefined && Number.isNaN(Date.parse(cardsValidAt))) {
    const next = 'Write it as 2017-06-15.';
    throw new PipelineError('USAGE', `judge cards as on "${cardsValidAt}"`, 'it is not a day', { next });
  }
  if (options['pageForAll'] === true && isLoopback(String(options['host']))) {
    const next = 'Name an address with --host, such as 0.0.0.0.';
    throw new PipelineError('USAGE', 'use --page-for-all', 'no other machine reaches the sandbox', { next });
  }
  if (options['record'] !== undefined && options['replay'] !== undefined) {
    throw new PipelineError('USAGE', 'use --replay', 'it excludes --record', { next: 'Leave one of them out.' });
  }
  return {
    port: wholeNumber('--port', options['port'], 65_535),
    ...(portUk === undefined ? {} : { portUk: wholeNumber('--port-uk', portUk, 65_535) }),
    ...(isTls ? { tls: { names: names.split(',').flatMap((name) => name.trim() || []) } } : {}),
    host: String(options['host']),
    accounts: readAccounts(String(options['accounts'])),
    batchDelayMs: wholeNumber('--batch-delay', options['batchDelay']),
    maxRows: wholeNumber('--max-rows', options['maxRows']),
    // Commander stores a `--no-…` switch under the plain name, true unless it was used.
    cardDuplicates: options['cardDuplicates'] === true,
    publicSuites: options['publicSuites'] === true,
    refundsMayExceed: options['refundsMayExceed'] === true,
    refundsNeedSettlement: options['refundsNeedSettlement'] === true,
    cutsLongValues: options['cutLongValues'] === true,
    strict: options['lenient'] !== true,
    allow: readStrictRules(options['allow']),
    pageForAll: options['pageForAll'] === true,
    control: options['control'] === true,
    ...(now === undefined ? {} : { now }),
    firstBatchId: 'time',
    ...(history ? { history } : {}),
    ...(data === undefined ? {} : { dataDir: data }),
    ...(cardsValidAt === undefined ? {} : { cardsValidAt: new Date(cardsValidAt) }),
  };
}

/**
 * Reads the names of strict rules.
 * @throws PipelineError USAGE for a name that is none
 */
function readStrictRules(given: Call['options'][string]): StrictRule[] {
  const names = typeof given === 'string' ? given.split(',').map((name) => name.trim()) : [];
  return names.map((name) => {
    const rule = STRICT_RULE_IDS.find((id) => id === name);
    if (rule !== undefined) return rule;
    const next = `The rules are ${STRICT_RULE_IDS.join(', ')}.`;
    throw new PipelineError('USAGE', 'use --allow', `"${name}" is no strict rule`, { next });
  });
}

/**
 * Reads `30d` or `30d:7`, and how many payments.
 * @throws PipelineError USAGE
 */
function readHistory(options: Call['options']): HistoryOptions | undefined {
  const { history, historySize } = options as Partial<Record<'history' | 'historySize', string>>;
  const next = `Write it as 30d or 30d:7, with at most ${MOST_DAYS} days and a seed of at most ${LARGEST_SEED}.`;
  if (history === undefined) {
    if (historySize === undefined) return undefined;
    throw new PipelineError('USAGE', 'use --history-size', 'there is no --history', { next });
  }
  const [, days, seed] = /^(\d{1,4})d(?::(\d{1,10}))?$/.exec(history)?.map(Number) ?? [];
  const isUsable = days !== undefined && days >= 1 && days <= MOST_DAYS;
  if (!isUsable || (seed ?? 0) > LARGEST_SEED) {
    throw new PipelineError('USAGE', `use --history ${history}`, 'it is not a number of days', { next });
  }
  const size = historySize === undefined ? undefined : wholeNumber('--history-size', historySize, MOST_PAYMENTS);
  if (size === 0) throw new PipelineError('USAGE', 'use --history-size 0', 'a history has at least one payment');
  const isSeeded = history.includes(':') && seed !== undefined;
  return { days, ...(isSeeded ? { seed } : {}), ...(size === undefined ? {} : { size }) };
}

/**
 * Reads `CODE:PASSWORD,CODE:PASSWORD@UK`. A trailing `@NA` or `@UK` binds an account to that server; others are on
 * both.
 * @throws PipelineError USAGE; it names the place and never the password
 */
export function readAccounts(text: string): { agentCode: string; password: string; server?: Server }[] {
  const accounts = text.split(',').map((part, index) => {
    const [, agentCode, password, server] = /^([^:\s]+):(.+?)(?:@(NA|UK))?$/.exec(part.trim()) ?? [];
    if (agentCode === undefined || password === undefined) throw fault(`entry ${index + 1} is not CODE:PASSWORD`);
    return { agentCode, password, ...(server === undefined ? {} : { server: server as Server }) };
  });
  const codes = accounts.map(({ agentCode }) => agentCode);
  const twice = codes.find((code, index) => codes.indexOf(code) !== index);
  if (twice !== undefined) throw fault(`"${twice}" is in it twice`);
  return accounts;
}

function fault(reason: string): PipelineError {
  return new PipelineError('USAGE', 'use --accounts', reason, { next: `Write it as ${SANDBOX_ACCOUNTS}.` });
}
