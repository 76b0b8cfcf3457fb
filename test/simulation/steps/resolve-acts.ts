import { gatewaySettings } from '../../../src/app.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import { confirmProposal, refuseProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { assignById } from '../../../src/actions/resolve/assign-batch-id.ts';
import { closeInDoubt, declareNotReceived, detachBatchResult } from '../../../src/actions/resolve/carry-out.ts';
import type { ResolutionContext } from '../../../src/actions/resolve/resolution-context.ts';
import { probeIds } from '../../../src/actions/resolve/probe-ids.ts';
import { acknowledgeForgotten } from '../../../src/ledger/account/pause-account.ts';
import { reconcileAccount } from '../../../src/actions/resolve/reconcile-account.ts';
import { readJournal } from '../../../src/actions/resolve/read-journal.ts';
import type { ReportName } from '../../../schemas/reports.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import type { Account } from '../../../src/config/config.ts';
import { buildRequest } from '../../../src/gateway/soap/build-request.ts';
import { contentOf, payeeOf, readBatches, readBooks, type SeenBatch } from '../database.ts';
import { payeeOfAccount, serviceOf } from '../services.ts';
import type { World } from '../world.ts';
import type { Act } from './acts.ts';
import { pickFrom } from './step.ts';

const REASON = 'asked the service desk about it';

/**
 * Acts of a person on a batch in doubt. The person is honest and makes mistakes: they try wrong ids and early reports,
 * but never declare as not received what the service has.
 */
export const RESOLVE_ACTS: readonly Act[] = [
  inDoubt('adopt a batch id', ['unknown'], async (world, batch) => {
    const batchId = chooseId(world, await findBooked(world, batch));
    return batchId && { words: `adopts id ${batchId}`, perform: (dashboard) => assignById(dashboard, batchId) };
  }),
  inDoubt('probe for a batch id', ['unknown'], async (world, batch) => {
    const [batchId = '1'] = await findBooked(world, batch);
    const range = { from: String(Math.max(1, Number(batchId) - 2)), to: String(Number(batchId) + 2) };
    if (!/^\d+$/.test(range.from)) return undefined;
    return {
      words: `probes ${range.from} to ${range.to}`,
      perform: (dashboard) => probeIds(dashboard, range, { pauseMs: 0 }),
    };
  }),
  inDoubt('declare as not received', ['unknown'], async (world, batch) => {
    if ((await findBooked(world, batch)).length > 0) return undefined;
    const evidence = 'Ann of the service desk, ticket 4711';
    return {
      words: 'declares it as not received',
      perform: (dashboard) => declareNotReceived(dashboard, { evidence, reason: REASON }),
    };
  }),
  inDoubt('read a report', ['unknown'], async (world, batch) => ({
    words: 'reads a report of the service',
    perform: async (dashboard) => {
      const account = accountOf(world, batch)!;
      const bytes = await fetchReport(world, account, batch.operation);
      return readJournal(dashboard, { name: `report-${world.story.length}.csv`, bytes, reason: REASON });
    },
  })),
  inDoubt('close in doubt', ['unknown', 'exception'], async () => ({
    words: 'closes it in doubt',
    perform: (dashboard) => closeInDoubt(dashboard, REASON),
  })),
  inDoubt('disown a result', ['exception'], async () => ({
    words: 'disowns its result',
    perform: (dashboard) => detachBatchResult(dashboard, REASON),
  })),
  onProposal('confirm a proposal', 'confirms', (world, no) => confirmProposal(world.office, no, 'operator:grace')),
  onProposal('refuse a proposal', 'refuses', (world, no) =>
    refuseProposal(world.office, no, { actor: 'operator:grace', reason: REASON }),
  ),
];

type Resolution = { words: string; perform: (dashboard: ResolutionContext) => Promise<unknown> } | undefined | '';

function inDoubt(name: string, states: string[], choose: (world: World, batch: SeenBatch) => Promise<Resolution>): Act {
  return {
    name,
    find: async (world) => {
      const batches = (await readBatches(world)).filter(
        (batch) => states.includes(batch.state) && accountOf(world, batch) !== undefined,
      );
      if (batches.length === 0) return undefined;
      const batch = world.choose.one(batches);
      const resolution = await choose(world, batch);
      if (!resolution) return undefined;
      const { words, perform } = resolution;
      const act = async () => perform(await openDashboard(world, batch));
      return { words: `of batch ${batch.name}/${batch.batchNo}: ${words}`, perform: act };
    },
  };
}

function onProposal(name: string, words: string, act: (world: World, no: number) => Promise<unknown>): Act {
  return {
    name,
    find: async (world) => {
      const proposal = await pickFrom<{ no: number; action: string }>(
        world,
        `SELECT json_build_object('no', proposal_no, 'action', action) AS found FROM proposal
         WHERE verdict IS NULL ORDER BY proposal_no`,
      );
      return (
        proposal && { words: `${words} the proposal to ${proposal.action}`, perform: () => act(world, proposal.no) }
      );
    },
  };
}

/**
 * Returns an account that means what a batch was taken for, if there is one. The ledger has its former name until the
 * next start.
 */
function accountOf(world: World, batch: SeenBatch): Account | undefined {
  const payee = payeeOf(world, batch);
  return [...world.settings.accounts.values()].find(
    (account) =>
      payeeOfAccount(world.services, account) === payee &&
      account.country === batch.country &&
      account.currency === batch.currency,
  );
}

async function openDashboard(world: World, seen: SeenBatch): Promise<ResolutionContext> {
  const { fileId, batchNo } = seen;
  const account = accountOf(world, seen)!;
  return {
    ledger: world.office,
    account,
    gateway: createGateway({ ...gatewaySettings(account), answerTimeoutMs: 300 }),
    file: await readFileRow(world.office, fileId),
    batch: await readBatchRow(world.office, { fileId, batchNo }),
    actor: 'operator:ada',
    dryRun: false,
  };
}

/** Returns the ids under which the service has this very content, without those of other batches in the ledger. */
async function findBooked(world: World, batch: SeenBatch): Promise<string[]> {
  // Two services may give the same id.
  const own = (await readBatches(world)).filter((other) => payeeOf(world, other) === payeeOf(world, batch));
  const taken = new Set(own.map(({ batchId }) => batchId));
  const content = contentOf(world, batch);
  const books = readBooks(world).filter((booked) => booked.content === content && !taken.has(booked.batchId));
  return books.map(({ batchId }) => batchId);
}

/** Mostly returns the right one. */
function chooseId(world: World, right: readonly string[]): string | undefined {
  const all = readBooks(world).map(({ batchId }) => batchId);
  if (all.length === 0) return undefined;
  return right[0] !== undefined && world.choose.happens(0.7) ? right[0] : world.choose.one(all);
}

/**
 * Does what a person does before an account goes on that was stopped because the service has more: compares it with the
 * reports of the service from the beginning on, and acknowledges the calls that nobody explains.
 */
export async function compareWithReports(world: World, name: string): Promise<void> {
  const account = world.settings.accounts.get(name);
  const [instance] = world.instances;
  if (!account || !instance) return;
  const { ledger, fingerprint } = instance.app;
  const seen = { ...world.office, bound: ledger.bound };
  for (const operation of ['card', 'ach-charge'] as const) {
    const bytes = await fetchReport(world, account, operation, 4_000);
    // A report without a payment shows nothing, and cannot be compared.
    if (!/\n./.test(bytes.toString('latin1').trim())) continue;
    await reconcileAccount({ ledger: seen, name, account, fingerprint }, bytes, {
      actor: 'operator:ada',
      reason: REASON,
    });
  }
  await acknowledgeForgotten(world.office, name, { actor: 'operator:ada', reason: REASON });
}

/** Fetches the transaction report that a person downloads: every approved payment of one kind, as CSV. */
async function fetchReport(
  world: World,
  account: Account,
  operation: FolderOperation,
  days = world.choose.one([2, 100, 900]),
): Promise<Buffer> {
  const report: ReportName =
    operation === 'card' ? 'getCreditCardApprovedDateRangeCSV' : 'getACHEFTApprovedDateRangeCSV';
  const address = `${account.baseUrl}/NetGate/ReportLinkv2.asmx`;
  const { agentCode, password } = account;
  const dayMs = 86_400_000;
  const nowMs = serviceOf(world.services, account).sandbox.clock.now().getTime();
  const { headers, body } = await buildRequest({
    operation: report,
    address,
    login: { agentCode, password },
    values: {
      fromDate: new Date(nowMs - days * dayMs).toISOString(),
      toDate: new Date(nowMs + dayMs).toISOString(),
      customerIPAddress: '',
      startIndex: '',
      endIndex: '',
    },
  });
  const answer = await fetch(address, { method: 'POST', headers, body: new Uint8Array(body) });
  const [, base64 = ''] = /<FILE>([^<]*)<\/FILE>/i.exec(await answer.text()) ?? [];
  return Buffer.from(base64, 'base64');
}
