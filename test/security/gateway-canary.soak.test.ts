import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FIELDS, type FieldName } from '../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../schemas/operations.ts';
import { createGatewayClient } from '../../src/gateway/create-gateway-client.ts';
import { passesLuhn } from '../../src/kernel/luhn.ts';
import { openLog } from '../../src/kernel/log.ts';
import { FAULT_KINDS, type FaultName } from '../../src/sandbox/faults/fault-kinds.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { ALL_OPERATIONS, sampleParameters } from '../gateway/support/call.ts';
import { findCanaries } from '../support/canaries.ts';
import { FAULT_EXPECTATIONS } from '../support/fault-expectations.ts';

/**
 * Calls every operation with every fault. Password, numbers and security codes must be in nothing that client or
 * sandbox leaves behind: answers, transcripts, errors, log lines, books and printed text.
 */

const CARD = luhnValid('451234807316492');
const ACCOUNT = '02100002100000000736182945';
const PASSWORD = 'Geheim-4711-Kanarienvogel';
/** Too short to be told from other digits, so only occurrences without a digit beside them count. */
const CODE = '7319';
const LOGIN = { agentCode: 'CANARY88', password: PASSWORD };
const LANES = 10;

let folder: string;
let lanes: Sandbox[];
const spoken = { answers: [] as string[], transcripts: [] as string[], logs: [] as string[], printed: [] as string[] };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-canary-'));
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    vi.spyOn(stream, 'write').mockImplementation((...args: unknown[]) => {
      spoken.printed.push(String(args[0]));
      return write(...args);
    });
  }
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, name).mockImplementation(
      (...args) => void spoken.printed.push(inspect(args, { depth: Infinity })),
    );
  }
  await mkdir(join(folder, 'spoken'));
  const destination = { write: (line: string) => void spoken.logs.push(line) };
  const log = openLog({ level: 'debug', destination });
  lanes = await Promise.all(
    Array.from({ length: LANES }, async (_, index) => {
      const dataDir = join(folder, `sandbox-${index}`);
      await mkdir(dataDir);
      return startSandbox({ batchDelayMs: 0, refundsMayExceed: true, accounts: [LOGIN], dataDir, log });
    }),
  );
});
afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all(lanes.map((lane) => lane.close()));
  await rm(folder, { recursive: true, force: true });
});

describe('the secrets of calls', () => {
  it('are in nothing that is left behind, whatever fault strikes', async () => {
    const kinds = Object.keys(FAULT_KINDS) as FaultName[];
    const strikes = ALL_OPERATIONS.flatMap((operation) => kinds.map((kind) => ({ operation, kind })));
    await inLanes(strikes, async (sandbox, { operation, kind }) => {
      sandbox.faults.plan({ kind, times: 'always' });
      await call(sandbox, operation, canaryParameters(operation), FAULT_EXPECTATIONS[kind].isEndless ? 60 : 10_000);
      await sandbox.faults.clear();
    });
    expect(spoken.answers).toHaveLength(strikes.length);
    expect(await findLeaks()).toEqual([]);
  });

  it('are in nothing that is left behind when they stand in fields that are no secret, or in wrong ones', async () => {
    const before = spoken.answers.length;
    const placed = ALL_OPERATIONS.flatMap((operation) =>
      fieldsOf(operation).flatMap((name) => SECRETS.map((secret) => ({ operation, name, secret }))),
    );
    await inLanes(placed, async (sandbox, { operation, name, secret }) => {
      await call(sandbox, operation, { ...canaryParameters(operation), [name]: secret }, 10_000);
    });
    expect(spoken.answers.length - before).toBe(placed.length);
    // The calls arrived: cards were charged, records were made and batches taken.
    const answers = spoken.answers.join('\n');
    expect(answers).toContain('"kind":"approved"');
    expect(answers).toContain('"kind":"accepted"');
    expect(lanes.flatMap((lane) => lane.books()).some((row) => row.lastFour === CARD.slice(-4))).toBe(true);
    // Books keep invoices and names as they came, and recognize card numbers only by their form.
    expect(await findCanaries([folder], [CARD])).toEqual([]);
    expect(await findLeaks([join(folder, 'spoken')])).toEqual([]);
  });

  it('would be found', async () => {
    spoken.printed.push(`card ${CARD}`, Buffer.from(`x${PASSWORD}`).toString('base64'), `code ${CODE}.`);
    expect(await findLeaks([join(folder, 'spoken')])).toHaveLength(3);
    spoken.printed.splice(-3);
  });
});

const SECRETS = [CARD, ACCOUNT, PASSWORD];

/** Returns the text that the service keeps, without names of records and batches, which it gives back. */
function fieldsOf(operation: OperationName): FieldName[] {
  const names: readonly FieldName[] = OPERATIONS[operation].wire;
  return names.filter((name) => !['customerCode', 'transactionId', 'batchId', 'batchFile'].includes(name));
}

function canaryParameters(operation: OperationName): Record<string, unknown> {
  const canaries = Object.entries(sampleParameters(operation)).map(([name, value]) => [name, canaryOf(name, value)]);
  return Object.fromEntries(canaries) as Record<string, unknown>;
}

function canaryOf(name: string, value: unknown): unknown {
  if (name === 'creditCardNum' || name === 'ccNum') return CARD;
  if (name === 'accountNum') return ACCOUNT;
  if (name === 'cvv2') return CODE;
  if (name === 'recurring') return false;
  if (name !== 'batchFile')
    return FIELDS[name as FieldName].kind === 'text' && name === 'comment' ? `card ${CARD}` : value;
  return Buffer.from(
    `06/15/2026,INV-1,Ada,Byron,1 Some Road,Troy,NY,12180,5.00,VISA,${CARD},1249\r\nINV-2,Ada,Byron,CHECKING,${ACCOUNT},5.00,${PASSWORD}`,
  );
}

async function call(sandbox: Sandbox, operation: OperationName, parameters: unknown, answerMs: number): Promise<void> {
  const client = createGatewayClient(
    {
      server: 'NA',
      ...LOGIN,
      currency: 'USD',
      baseUrl: sandbox.url,
      timeouts: { answerMs },
      transcript: (entry) => void spoken.transcripts.push(JSON.stringify(entry)),
    },
    { wait: async () => {} },
  );
  const method: (parameters: never, options: object) => Promise<unknown> = client[operation];
  const answer = await method(parameters as never, { mop: 'VISA' }).catch((error: unknown) => error);
  spoken.answers.push(`${JSON.stringify(answer)}\n${inspect(answer, { depth: Infinity, showHidden: true })}`);
}

async function inLanes<Item>(
  items: readonly Item[],
  step: (sandbox: Sandbox, item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await step(lane, next);
    }),
  );
}

async function findLeaks(folders = [folder]): Promise<string[]> {
  const codes: string[] = [];
  for (const [name, lines] of Object.entries(spoken)) {
    await writeFile(join(folder, 'spoken', name), lines.join('\n'));
    codes.push(
      ...lines.filter((line) => new RegExp(`(?<![\\d.:])${CODE}(?!\\d)`).test(line)).map(() => `code in ${name}`),
    );
  }
  return [...(await findCanaries(folders, SECRETS)), ...codes];
}

function luhnValid(first15: string): string {
  return Array.from({ length: 10 }, (_, digit) => `${first15}${digit}`).find(passesLuhn)!;
}
