import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { renderFaults } from '../../../scripts/reference/faults.ts';
import { FAULT_KINDS, type FaultName, isFaultName } from '../../../src/sandbox/faults/fault-kinds.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { FAULT_EXPECTATIONS } from '../../support/fault-expectations.ts';
import type { AnyAnswer } from '../../../src/gateway/answers.ts';
import { createGatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import type { FaultPlan } from '../../../src/sandbox/faults/plan-faults.ts';
import * as acts from '../../../src/sandbox/faults/acts/hostile-documents.ts';
import type { Reply } from '../../../src/sandbox/reply.ts';
import { faultReply } from '../../../src/sandbox/soap/write-envelope.ts';
import { bodyOf, CHARGE, makeCall as makeHandlerCall, makeContext, outcomeOf } from '../support/make-context.ts';
import { killRepeatedly, useSandboxes } from '../support/sandbox-world.ts';
import type { HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { HANDLERS } from '../../../src/sandbox/handlers/handlers.ts';
import { runSchedules } from '../../../src/sandbox/time/run-schedules.ts';

const NAMES = Object.keys(FAULT_KINDS) as FaultName[];
const CASES = NAMES.flatMap((kind) =>
  (['charge', 'submit', 'fetch'] as const).map((tried) => ({ kind, tried, expected: FAULT_EXPECTATIONS[kind][tried] })),
);
const STRIKES = CASES.flatMap(({ kind, tried, expected }) => (expected ? [{ kind, tried, expected }] : []));
const PASSES = CASES.filter(({ expected }) => expected === null);

/** Rows that a booked call leaves in the books. */
const ROWS: Readonly<Record<Tried, number>> = { charge: 1, submit: 1, fetch: 0 };

describe('FAULT_KINDS', () => {
  it('has thirty kinds at least, each with a name in kebab-case and a sentence', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(30);
    for (const name of NAMES) {
      expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)+$/);
      expect(FAULT_KINDS[name].about).toMatch(/^[A-Z0-9].*\.$/);
      expect(isFaultName(name)).toBe(true);
    }
    expect(isFaultName('toString')).toBe(false);
  });

  it('stands in docs/sandbox.md as it is; if not, run "npm run docs"', async () => {
    const docs = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
    expect(docs).toContain(renderFaults());
    for (const name of NAMES) expect(renderFaults()).toContain(`\`${name}\``);
  });

  /** Many wait until a call is given up, so they run side by side. */
  describe.concurrent('in a call', () => {
    it.for(STRIKES)(
      '$kind struck a $tried: the client says $expected, and the books are right',
      async ({ kind, tried, expected }, { expect }) => {
        await useSandbox(async (sandbox) => {
          const answerMs = FAULT_EXPECTATIONS[kind].isEndless ? 120 : 20_000;
          // Strikes once only: a second call, after a resend or a redirect, would be booked.
          const times = tried === 'fetch' ? 'always' : 1;
          const { answer, countBooked } = await strikeCall(sandbox, tried, { kind, times }, answerMs);
          expect(expected).toContain(answer.kind);
          // A client that gives up may be faster than the sandbox.
          await expect.poll(() => sandbox.faults.list()[0]?.fired, QUICK).toBeGreaterThan(0);
          await expect.poll(countBooked, QUICK).toBe(FAULT_KINDS[kind].books === 'before' ? ROWS[tried] : 0);
        });
      },
    );

    it.for(['booked-then-reset', 'cut-document', 'reset-at-first-byte'] as const)(
      'a fetch that is struck once by %s is repeated and brings the file',
      async (kind, { expect }) => {
        await useSandbox(async (sandbox) => {
          const { answer } = await strikeCall(sandbox, 'fetch', { kind }, 20_000);
          expect(answer.kind).toBe(kind === 'cut-document' ? 'failed' : 'approved');
        });
      },
    );

    it.for(PASSES)('$kind lets a $tried pass', async ({ kind, tried }, { expect }) => {
      await useSandbox(async (sandbox) => {
        // Without an earlier batch or a result, these have nothing to strike.
        const { answer, countBooked } = await strikeCall(sandbox, tried, { kind, times: 'always' }, 20_000);
        expect(answer.kind).toBe(tried === 'submit' ? 'accepted' : 'approved');
        expect(countBooked()).toBe(ROWS[tried]);
        expect(sandbox.faults.list()).toMatchObject([{ seen: 0, fired: 0 }]);
      });
    });
  });
});

const QUICK = { interval: 2 };

/** Gives each test its own sandbox; an `afterEach` would close those of the others. */
async function useSandbox(work: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({ batchDelayMs: 0 });
  try {
    await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** The calls that faults are tried with, as in FAULT_EXPECTATIONS. */
type Tried = 'charge' | 'submit' | 'fetch';

const BANK_ROWS = [1, 2, 3].map((n) => `B-${n},Ada,Byron,CHECKING,02100002100000000000000001,${n}.00,Gift`);

/** The file that `submitEarlier` submits, whose result is fetched. */
const EARLIER_FILE = BANK_ROWS.join('\n');

/** Plans a fault, makes one network call that would succeed without it, and counts the rows it booked. */
async function strikeCall(
  sandbox: Sandbox,
  tried: Tried,
  plan: FaultPlan,
  answerMs: number,
): Promise<{ answer: AnyAnswer; countBooked: () => number }> {
  const client = clientOf(sandbox.url, answerMs);
  const batchId = await submitEarlier(sandbox);
  const before = sandbox.books().length;
  sandbox.faults.plan(plan);
  const answer = await makeCall(client, tried, batchId);
  return { answer, countBooked: () => sandbox.books().length - before };
}

function clientOf(baseUrl: string, answerMs = 20_000) {
  return createGatewayClient(
    { server: 'NA', agentCode: 'TEST88', password: 'TEST88', currency: 'USD', baseUrl, timeouts: { answerMs } },
    { wait: async () => {} },
  );
}

/** @returns the id of a finished batch */
async function submitEarlier({ url }: Pick<Sandbox, 'url'>): Promise<string> {
  const answer = await clientOf(url).processACHEFTChargeBatch({ batchFile: Buffer.from(EARLIER_FILE) });
  if (answer.kind !== 'accepted') throw new Error(`the earlier batch was not taken: ${answer.kind}`);
  return answer.result.batchId;
}

function makeCall(client: ReturnType<typeof clientOf>, tried: Tried, batchId: string): Promise<AnyAnswer> {
  switch (tried) {
    case 'charge':
      return client.processCreditCard({
        creditCardNum: '4222222222222220',
        creditCardExpiry: '12/35',
        mop: 'VISA',
        firstName: 'Ada',
        lastName: 'Byron',
        address: '1 Some Road',
        city: 'Troy',
        state: 'NY',
        zipCode: '12180',
        cvv2: '123',
        total: '5.00',
        invoiceNum: 'I-1',
      });
    case 'submit':
      return client.processACHEFTChargeBatch({ batchFile: Buffer.from('L-1,A10000001,5.00,Gift') });
    case 'fetch':
      return client.getBatchProcessResultFile({ batchId });
  }
}

const WHOLE = String(CHARGE.body);
const INSIDE = /(?=<\/IATSRESPONSE>)/;

describe('hostile documents', () => {
  it.each<[string, (reply: Reply) => Parameters<typeof bodyOf>[0], string]>([
    ['sendHtmlEntity', acts.sendHtmlEntity, '<NOTE>&nbsp;</NOTE>'],
    ['sendComment', acts.sendComment, '<!-- <STATUS>Failure</STATUS> -->'],
    ['sendCdata', acts.sendCdata, '<NOTE><![CDATA[<STATUS>Failure</STATUS>]]></NOTE>'],
    ['referWithin', acts.referWithin, '<NOTE href="#n1" /><NOTE id="n1">Failure</NOTE>'],
  ])('%s adds to the end of the answer', (_name, act, added) => {
    expect(bodyOf(act(CHARGE))).toBe(WHOLE.replace(INSIDE, added));
  });

  it('sendBomb declares entities of entities and uses the largest', () => {
    const body = bodyOf(acts.sendBomb(CHARGE));
    expect(body).toMatch(/^<\?xml [^>]*\?><!DOCTYPE bomb \[.*<!ENTITY x9 "(?:&x8;){10}">\]><soap:Envelope/);
    expect(body).toContain('<BOMB>&x9;</BOMB></IATSRESPONSE>');
    expect(body.length).toBeLessThan(3000);
  });

  it('referToFile declares an entity elsewhere', () => {
    const body = bodyOf(acts.referToFile(CHARGE));
    expect(body).toMatch(/<!DOCTYPE far \[<!ENTITY far SYSTEM "http:\/\/127\.0\.0\.1:9\/far\.txt">\]>/);
    expect(body).toContain('<FAR>&far;</FAR></IATSRESPONSE>');
  });

  it('nestDeeply opens and closes as often', () => {
    const body = bodyOf(acts.nestDeeply(CHARGE));
    expect(body.match(/<N>/g)).toHaveLength(100_000);
    expect(body.match(/<\/N>/g)).toHaveLength(100_000);
  });

  it('sendTwoDocuments and markByteOrder change what is around the document', () => {
    expect(bodyOf(acts.sendTwoDocuments(CHARGE))).toBe(WHOLE + WHOLE);
    expect(bodyOf(acts.markByteOrder(CHARGE))).toBe(`\uFEFF${WHOLE}`);
  });

  it('padHugely announces and sends 64 MB more', () => {
    const { text, bytes, end } = outcomeOf(acts.padHugely(CHARGE));
    const announced = Number(/Content-Length: (\d+)/.exec(text.slice(0, 500))?.[1]);
    expect(announced).toBe(Buffer.byteLength(WHOLE) + 64 * 1024 * 1024);
    expect(bytes.length - bytes.indexOf('\r\n\r\n') - 4).toBe(announced);
    expect(end).toBe('finish');
  });

  it('breakCharacter is no UTF-8, and encodeUtf16 is UTF-16', () => {
    const broken = outcomeOf(acts.breakCharacter(CHARGE)).bytes;
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(broken)).toThrow();
    const { text, bytes } = outcomeOf(acts.encodeUtf16(CHARGE));
    expect(text).toContain('charset=utf-16\r\n');
    const document = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
    expect(new TextDecoder('utf-16le').decode(document)).toBe(WHOLE.replace('utf-8', 'utf-16'));
  });

  it('goes into a fault as well, which has no such end', () => {
    const fault = faultReply({ version: '1.2', blame: 'server', fault: 'x' });
    expect(bodyOf(acts.sendComment(fault))).toContain('--></soap:Body>');
  });
});

const world = useSandboxes();

/** start-sandbox.test.ts kills twice. */
describe('a sandbox killed with SIGKILL many times', () => {
  it('has booked all of a batch or nothing, at whatever moment it died', async () => {
    await killRepeatedly(world, [0, 4, 11, 23, ...Array.from({ length: 26 }, (_, round) => 2 * round)]);
  }, 300_000);
});

const CUSTOMER = {
  customerCode: 'C1',
  creditCardNum: '4222222222222220',
  creditCardExpiry: '12/49',
  mop: 'VISA',
  recurring: 'true',
  amount: '5.00',
  beginDate: '2026-06-15T00:00:00Z',
  endDate: '9999-12-31T00:00:00Z',
  scheduleType: 'Weekly',
  scheduleDate: '5',
};

it('goes through many years, and through a clock at the end of time in pieces', async () => {
  const lines: string[] = [];
  const warn = (_: object, message: string) => void lines.push(message);
  const { context, clock } = await makeContext();
  const log = { ...context.log, warn } as unknown as HandlerContext['log'];
  await HANDLERS.createCreditCardCustomerCode?.answer(
    makeHandlerCall('createCreditCardCustomerCode', CUSTOMER),
    context,
  );
  clock.set('2126-06-15T10:00:00Z');
  await runSchedules({ ...context, log });
  expect(context.books.rows()).toHaveLength(5218);
  expect(lines).toEqual([]);
  clock.set('9998-01-01T00:00:00Z');
  await runSchedules({ ...context, log });
  expect(context.books.rows()).toHaveLength(5218 + 20_000);
  expect(lines).toEqual(['more recurring payments are due; they follow with the next call']);
});
