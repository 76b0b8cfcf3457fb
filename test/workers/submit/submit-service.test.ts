import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { httpAnswer } from '../../gateway/support/scripted-server.ts';
import { failure, FAULT } from '../../gateway/support/soap-answers.ts';
import { type Play, say, take, takeAs, takenAnswer } from '../../support/scripted-service.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import {
  agentCodeOf,
  beforeStatement,
  closedUrl,
  cutAtStatement,
  openStepWorld,
  POWER_CUT,
} from '../support/step-world.ts';
import { readJournal, type Story, RELEASED } from '../support/story.ts';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { recoverBatches } from '../../../src/ledger/batch/end-attempt.ts';
import { longestCallMs } from '../../../workers/upkeep/sweep.ts';
import { answering } from '../support/scripted-gateway.ts';

/** All the way to the socket: what the service does, and what the ledger records. */

const world = openedForTests(async () => {
  const special = {
    closed: { baseUrl: await closedUrl() },
    hasty: { answerTimeoutMs: 150 },
    drip: { answerTimeoutMs: 150 },
    silent: { answerTimeoutMs: 150 },
  };
  return openStepWorld({ accounts: 30, special });
});

const DOUBT = { state: 'unknown', moves: ['prepare', 'send', 'doubt'], journal: [1], maySend: false };

const IN_DOUBT: { mode: string; play: Play; account?: string; evidence: Record<string, unknown> }[] = [
  { mode: 'a reset after the request', play: (socket) => socket.resetAndDestroy(), evidence: { bytesRead: 0 } },
  { mode: 'an end without an answer', play: (socket) => socket.end(), evidence: { bytesRead: 0 } },
  { mode: 'a redirect that asks for the POST again', play: redirect, evidence: { httpStatus: 307 } },
  { mode: 'an empty 200', play: (socket) => socket.end(httpAnswer(200, '')), evidence: { httpStatus: 200 } },
  {
    mode: 'a 500 of HTML',
    play: (socket) => socket.end(httpAnswer(500, '<h1>Server Error</h1>', { 'Content-Type': 'text/html' })),
    evidence: { httpStatus: 500, answerText: '<h1>Server Error</h1>' },
  },
  { mode: 'a SOAP fault', play: (socket) => socket.end(httpAnswer(500, FAULT)), evidence: { httpStatus: 500 } },
  { mode: 'half an answer', play: halfAnAnswer, evidence: { answerText: expect.stringMatching(/^BATCHID 9000/) } },
  { mode: 'a text that nobody knows', play: say(failure('Server Error')), evidence: { httpStatus: 200 } },
  { mode: 'an answer in drips', account: 'drip', play: drip, evidence: { bytesRead: expect.any(Number) } },
  { mode: 'no answer at all', account: 'silent', play: () => {}, evidence: { bytesRead: 0 } },
];

describe('submitBatch against a service that leaves it in doubt', () => {
  it.each(IN_DOUBT)(
    '$mode: unknown after one POST, and the account sends no more',
    async ({ account, play, evidence }) => {
      const name = account ?? world.freshAccount();
      const { first, second } = await world.twoBatches(name);
      world.service.play(agentCodeOf(name), play);
      await submitBatch(world.app, first);

      expect(world.service.posts(agentCodeOf(name))).toBe(1);
      const story = await world.storyOf(first);
      expect(story).toMatchObject(DOUBT);
      expect(story.attempts).toMatchObject([{ attempt: 1, verdict: 'unknown', evidence }]);
      expect(story.attempts[0]?.evidence?.['bytesWritten']).toBeGreaterThan(500);

      world.service.play(agentCodeOf(name), take);
      for (const key of [first, second]) await submitBatch(world.app, key);
      expect(world.service.posts(agentCodeOf(name))).toBe(1);
    },
  );

  it('an answer that comes after the time-out changes nothing any more', async () => {
    let late: (() => boolean) | undefined;
    const { first } = await world.twoBatches('hasty');
    world.service.play(agentCodeOf('hasty'), (socket, request) => {
      late = () => socket.write(takenAnswer(request, '9009'));
    });
    await submitBatch(world.app, first);
    const before = await world.storyOf(first);
    late?.();
    expect(before).toMatchObject({ ...DOUBT, reason: 'no complete answer within 150 ms' });
    expect(await world.storyOf(first)).toEqual(before);
    expect(world.service.posts(agentCodeOf('hasty'))).toBe(1);
  });

  it('a batch id given twice: the second batch is unknown', async () => {
    const name = world.freshAccount();
    const { first, second } = await world.twoBatches(name);
    world.service.play(agentCodeOf(name), takeAs('9010'));
    for (const key of [first, second]) await submitBatch(world.app, key);
    expect(await world.storyOf(first)).toMatchObject({ state: 'submitted', batchId: '9010' });
    expect(await world.storyOf(second)).toMatchObject({ ...DOUBT, batchId: null });
    expect(world.service.posts(agentCodeOf(name))).toBe(2);
  });
});

const CLEAR: { mode: string; play: Play; leaves: Partial<Story> }[] = [
  { mode: 'taken', play: takeAs('9020'), leaves: { state: 'submitted', batchId: '9020', maySend: true } },
  {
    mode: 'REJECT: 1',
    play: say(
      '<STATUS>Success</STATUS><ERRORS /><PROCESSRESULT><AUTHORIZATIONRESULT> REJECT: 1\n</AUTHORIZATIONRESULT></PROCESSRESULT>',
    ),
    leaves: {
      state: 'refused',
      reason: 'the service refused it: The agent code is not set up, or the login is wrong (REJECT: 1)',
      maySend: false,
    },
  },
  {
    mode: 'a bad login',
    play: say(failure('Error : Invalid Username or Password.')),
    leaves: { state: 'refused', maySend: false },
  },
];

describe('submitBatch against a service that answers', () => {
  it.each(CLEAR)('$mode', async ({ play, leaves }) => {
    const name = world.freshAccount();
    const { first } = await world.twoBatches(name);
    world.service.play(agentCodeOf(name), play);
    await submitBatch(world.app, first);
    expect(await world.storyOf(first)).toMatchObject({ journal: [1], ...leaves });
    expect(world.service.posts(agentCodeOf(name))).toBe(1);
  });

  it('a refused batch stops its account, and others go on', async () => {
    const [name, other] = [world.freshAccount(), world.freshAccount()];
    const { first, second } = await world.twoBatches(name);
    world.service.play(agentCodeOf(name), say(failure('Bad request.')));
    await submitBatch(world.app, first);
    await submitBatch(world.app, second);
    expect(world.service.posts(agentCodeOf(name))).toBe(1);

    const fine = await world.twoBatches(other);
    await submitBatch(world.app, fine.first);
    expect((await world.storyOf(fine.first)).state).toBe('submitted');
  });
});

describe('submitBatch, before the first byte', () => {
  it('a refused connection: nothing was declared, the batch waits', async () => {
    const { first } = await world.twoBatches('closed');
    await submitBatch(world.app, first);
    const reason: unknown = expect.stringContaining('ECONNREFUSED');
    expect(await world.storyOf(first)).toMatchObject({ ...RELEASED, attempt: 1, reason });
  });

  it('the journal has its line and the ledger says sending when the first byte comes in', async () => {
    const name = world.freshAccount();
    const { first } = await world.twoBatches(name);
    const journal: unknown[] = [];
    let state = '';
    world.service.onFirstByte((agentCode) => {
      if (agentCode === agentCodeOf(name))
        journal.push(...readJournal(world.app).filter((entry) => entry.account === name));
    });
    world.service.play(agentCodeOf(name), (socket, request) => {
      void world.batch(first).then((row) => {
        state = row.state;
        take(socket, request);
      });
    });
    await submitBatch(world.app, first);
    expect(journal).toEqual([expect.objectContaining({ ...first, account: name, attempt: 1 })]);
    expect(state).toBe('sending');
    expect((await world.storyOf(first)).state).toBe('submitted');
  });

  it('20 workers at once open one connection', async () => {
    const name = world.freshAccount();
    const { first } = await world.twoBatches(name);
    const before = world.service.connections();
    await Promise.all(Array.from({ length: 20 }, () => submitBatch(world.app, first)));
    expect(world.service.connections() - before).toBe(1);
    expect(world.service.posts(agentCodeOf(name))).toBe(1);
  });

  it('names the host and the size of the request in the attempt', async () => {
    const name = world.freshAccount();
    const { first } = await world.twoBatches(name);
    await submitBatch(world.app, first);
    const [attempt] = await world.query<{ host: string; request_bytes: number; worker: string }>(
      'SELECT host, request_bytes, worker FROM attempt WHERE file_id = $1',
      [first.fileId],
    );
    expect(attempt).toMatchObject({ host: new URL(world.service.url).host, worker: world.app.ledger.instance.id });
    expect(attempt?.request_bytes).toBeGreaterThan(500);
  });
});

/** If followed, it would return here as a second POST of the same agent code. */
function redirect(socket: Socket): void {
  socket.end(httpAnswer(307, '', { Location: `${world.service.url}/NetGate/ProcessLinkv2.asmx` }));
}

function halfAnAnswer(socket: Socket, request: string): void {
  const whole = takenAnswer(request, '9000');
  socket.end(whole.subarray(0, whole.length - 60));
}

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  const timer = setInterval(() => socket.write(' '), 10);
  socket.on('close', () => clearInterval(timer));
}

const TAKEN = { kind: 'submitted', batchId: '8001', text: 'taken' } as const;
/** The update that ends an attempt, and nothing before it. */
const VERDICT = /UPDATE attempt SET ended_at/;

async function freshBatch(): Promise<BatchKey> {
  return { fileId: await world.takeInCharges(world.freshAccount(), 2), batchNo: 1 };
}

function answersOf(key: BatchKey): unknown[] {
  return readJournal(world.app)
    .filter((entry) => entry.fileId === key.fileId && 'answer' in entry)
    .map((entry) => (entry as unknown as { answer: unknown }).answer);
}

describe('recordAnswer, when the ledger does not take the answer', () => {
  it('asks again until it does; meanwhile the answer stands in the log and in the send journal', async () => {
    const key = await freshBatch();
    const cut = cutAtStatement(world.app, VERDICT);
    await submitBatch(answering(cut.app, TAKEN).app, key);
    expect(cut.wasCut()).toBe(true);
    expect(await world.storyOf(key)).toMatchObject({
      state: 'submitted',
      batchId: '8001',
      attempts: [{ attempt: 1, verdict: 'submitted' }],
    });
    expect(answersOf(key)).toEqual([{ verdict: 'submitted', batchId: '8001' }]);
    expect(world.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fileId: key.fileId,
        answer: { verdict: 'submitted', batchId: '8001' },
        msg: `the ledger does not accept the answer of the service yet: ${POWER_CUT}`,
      }),
    );
  });

  it('keeps it beside the doubt, when others have put the batch in doubt meanwhile', async () => {
    const key = await freshBatch();
    const cut = cutAtStatement(world.app, VERDICT);
    const putInDoubt = async () => {
      await world.query(`UPDATE batch SET lease_until = 'epoch' WHERE file_id = $1`, [key.fileId]);
      await recoverBatches(world.app.ledger, longestCallMs(world.app));
    };
    const doubted = beforeStatement(cut.app, VERDICT, () => (cut.wasCut() ? putInDoubt() : undefined));
    await submitBatch(answering(doubted, { ...TAKEN, batchId: '8002' }).app, key);
    expect(await world.storyOf(key)).toMatchObject({
      state: 'unknown',
      batchId: null,
      moves: ['prepare', 'send', 'doubt', 'late-answer'],
      maySend: false,
    });
  });

  it('writes nothing beside the ledger when that takes the answer at once', async () => {
    const key = await freshBatch();
    await submitBatch(answering(world.app, { ...TAKEN, batchId: '8003' }).app, key);
    expect(answersOf(key)).toEqual([]);
  });
});

describe('the intent to send', () => {
  it('is withdrawn when it took longer than the lease to become durable: nothing leaves', async () => {
    const key = await freshBatch();
    const clock = handClock(new Date());
    const { leaseMs } = world.app.account('account-1');
    // As when the process is stopped, or the host sleeps, between the commit and the first byte.
    const slow: App = {
      ...world.app,
      clock,
      journal: {
        ...world.app.journal,
        append: async (entry) => {
          await world.app.journal.append(entry);
          clock.advance(leaseMs + 1);
        },
      },
    };
    const scripted = answering(slow, TAKEN);
    await submitBatch(scripted.app, key);
    expect(scripted.bodies).toEqual([]);
    const attempts = [{ attempt: 1, verdict: 'not_sent' }];
    expect(await world.storyOf(key)).toMatchObject({ state: 'ready', attempt: 2, attempts });
  });
});
