import { randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAULT_KINDS } from '../../src/sandbox/faults/fault-kinds.ts';
import { describeFailure, makeTotals, playScenario, type Report, simulateInProcesses } from './simulate.ts';
import { ACTS, SELDOM } from './steps/acts.ts';
import { DAMAGES } from './files/draft-file.ts';
import { MEANWHILE } from './steps/run-stage.ts';
import { STEPS } from './steps/steps.ts';
import type { App } from '../../src/app.ts';
import { noteFunctions } from '../../src/ledger/engine/functions.ts';
import { FUNCTIONS_SCHEMA } from '../../src/ledger/engine/schema.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import type { Gateway } from '../../src/gateway/create-gateway.ts';
import { type Database, openDatabase } from './database.ts';
import { MOST_SERVERS } from './hosts/installation.ts';
import { freeRandomness } from './choose.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** So many are played, and more as long as something was missing, because what happens follows from the code, too. */
const SCENARIOS = 60;
const MORE = 30;
const MOST = 300;

/** What takes a longer run to happen at all; `npm run reliability` counts it. */
const RARE: readonly string[] = [...SELDOM, 'probe for a batch id', 'the older servers end'];

const MOST_FAULTS = 0.8 * Object.keys(FAULT_KINDS).length;

/** What of all there is a report is not about. */
function missingIn({ counts }: Pick<Report, 'counts'>): string[] {
  const missing = (topic: string, all: readonly { name: string }[]) =>
    all.map(({ name }) => name).filter((name) => !RARE.includes(name) && !Object.hasOwn(counts[topic] ?? {}, name));
  return [
    ...missing('steps', STEPS),
    ...missing('acts', ACTS),
    ...missing('damages', DAMAGES),
    ...missing('meanwhile', MEANWHILE),
    ...missing('acts', [{ name: 'answer that the service moved' }, { name: 'answer that it is another service' }]),
    ...missing('ledgers', [
      { name: 'folder put back from the copy' },
      { name: 'folder put back by a roll-back of the disk' },
    ]),
    ...missing('files', [{ name: 'completed' }]),
    // test/gateway/faults and test/sandbox/faults try each fault by itself.
    ...(Object.keys(counts['faults planned'] ?? {}).length > MOST_FAULTS ? [] : ['most of the faults']),
  ];
}

describe('scenarios', () => {
  it('hold what is promised, and are about everything there is', { timeout: 3_600_000 }, async () => {
    const totals = makeTotals();
    let played = 0;
    const play = async (scenarios: number) => {
      const report = await simulateInProcesses({ seed: 53_000 + played, scenarios }, 2);
      expect(report.failures.map(describeFailure).join('\n')).toBe('');
      expect(report).toMatchObject({ scenarios, failed: 0 });
      played += scenarios;
      totals.add(report.counts);
    };
    await play(SCENARIOS);
    while (played < MOST && missingIn({ counts: totals.counts() }).length > 0) await play(MORE);

    expect(missingIn({ counts: totals.counts() })).toEqual([]);
  });

  it('that nobody has played before hold it too', { timeout: 3_600_000 }, async () => {
    const order = { seed: randomInt(1_000_000, 2 ** 31), scenarios: 10 };
    const { scenarios, failures } = await simulateInProcesses(order, 2);
    expect(failures.map(describeFailure).join('\n')).toBe('');
    expect(scenarios).toBe(order.scenarios);
  });
});

/** Deliberate defects, and what the simulation must say of each. A simulation that finds nothing proves nothing. */
const DEFECTS: readonly { defect: string; spoil: (app: App) => App; says: RegExp }[] = [
  {
    defect: 'every batch is sent twice',
    spoil: withGateway((gateway) => ({
      submitBatch: async (call) => {
        await gateway.submitBatch(call);
        return gateway.submitBatch({ ...call, beforeFirstByte: async () => true });
      },
    })),
    says: /requests arrived, the ledger knows of|took a batch \d times|about to leave/,
  },
  {
    defect: 'doubt is taken for nothing sent',
    spoil: withGateway((gateway) => ({
      submitBatch: async (call) => {
        const answer = await gateway.submitBatch(call);
        return answer.kind === 'unknown' ? { kind: 'not_sent', why: 'it was not sent, surely' } : answer;
      },
    })),
    says: /requests arrived, the ledger knows of|took a batch \d times|about to leave, and may have been sent/,
  },
  {
    defect: 'the intent is not declared',
    spoil: withGateway((gateway) => ({
      submitBatch: (call) => gateway.submitBatch({ ...call, beforeFirstByte: async () => true }),
    })),
    says: /no attempt stands in the ledger/,
  },
  {
    defect: 'the send journal is not written',
    spoil: (app) => ({
      ...app,
      journal: {
        ...app.journal,
        append: async (entry) => ('kind' in entry ? app.journal.append(entry) : undefined),
        isFenced: () => false,
      },
    }),
    says: /without a line in the journal/,
  },
  {
    defect: 'an approval is read as a decline',
    spoil: withGateway((gateway) => ({
      fetchBatchResult: async (call) => {
        const answer = await gateway.fetchBatchResult(call);
        if (answer.kind !== 'done') return answer;
        const text = answer.file.toString('latin1').replace(/OK: 678594:|Received/g, 'REJECT: 15');
        return { ...answer, file: Buffer.from(text, 'latin1') };
      },
    })),
    says: /the books say|charged \d times, of which the ledger knows/,
  },
  {
    defect: 'the body of a batch is logged',
    spoil: (app) =>
      withGateway((gateway) => ({
        submitBatch: (call) => {
          app.log.info(`a batch goes out: ${Buffer.from(call.body).toString()}`);
          return gateway.submitBatch(call);
        },
      }))(app),
    says: /a number leaked: the log/,
  },
];

/** Defects in the database code that keeps a ledger restored to an earlier state from sending again. */
const LEDGER_DEFECTS: readonly { defect: string; spoil: string; says: RegExp }[] = [
  {
    defect: 'a ledger that was opened for another run of its server counts as open',
    spoil: `CREATE OR REPLACE FUNCTION is_of_this_run() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT true'`,
    // Rows that were lost are looked for ahead as well, so that the rules of the table are the first to see it.
    says: /about to leave, and may have been sent|of which the ledger knows|in another run of its server/,
  },
  {
    defect: 'a send journal reports without being compared',
    spoil: `CREATE OR REPLACE FUNCTION unknown_sends(p_file_ids text[], p_batch_nos integer[], p_attempts integer[], p_calls uuid[])
      RETURNS SETOF integer LANGUAGE sql STABLE AS 'SELECT NULL::integer WHERE false'`,
    says: /about to leave, and may have been sent|lacks call/,
  },
];

describe('the simulation of several hosts finds a deliberate defect', () => {
  let database: Database;
  beforeEach(async () => {
    database = await openDatabase();
  });
  afterEach(async () => {
    freeRandomness();
    await database.close();
  });

  it.each(LEDGER_DEFECTS)('$defect', { timeout: 600_000 }, async ({ spoil, says }) => {
    for (let no = 0; no < MOST_SERVERS; no += 1)
      await transact((await database.server(no)).office, async ({ client }) => {
        await client.query(`SET LOCAL search_path = ${FUNCTIONS_SCHEMA}, paydrop; ${spoil}`);
        await noteFunctions(client);
      });
    const found: string[] = [];
    for (const seed of WIDE_SEEDS) {
      if (found.length === 0) found.push(...(await playScenario(seed, database)).complaints);
    }
    expect(found.join('\n')).toMatch(says);
  });
});

/** Seeds of scenarios with several hosts. */
const WIDE_SEEDS = Array.from({ length: 60 }, (_, n) => 235 + 4 * n);

describe('the simulation finds a deliberate defect', () => {
  const database = openedForTests(openDatabase);
  afterAll(freeRandomness);

  it.each(DEFECTS)('$defect', { timeout: 120_000 }, async ({ spoil, says }) => {
    const found: string[] = [];
    for (let seed = 1; seed <= 25 && found.length === 0; seed += 1)
      found.push(...(await playScenario(seed, database, spoil)).complaints);
    expect(found.join('\n')).toMatch(says);
  });
});

/** Returns a change that replaces methods of an app's gateways. */
function withGateway(change: (gateway: Gateway) => Partial<Gateway>): (app: App) => App {
  return (app) => ({
    ...app,
    gateway: (account) => {
      const gateway = app.gateway(account);
      return { ...gateway, ...change(gateway) };
    },
  });
}
