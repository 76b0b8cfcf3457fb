import { ALL_ACCOUNTS } from '../../ledger/account/pause-account.ts';
import { readProposal } from '../../ledger/proposal/proposals.ts';
import { readBatchRow, readFileRow } from '../../ledger/file/read-file.ts';
import { readAccountStates } from '../../ledger/account/read-holds.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import type { WebContext } from '../web-context.ts';
import type { Subject, SubjectOf } from './action-handler.ts';

/** Stands for all accounts in an address. */
const ALL = 'all';

/** Base path of each kind of subject; the action follows after `/do/`. */
export const SUBJECT_PATHS: Readonly<Record<Subject['kind'], string>> = {
  file: '/files/:fileId',
  batch: '/files/:fileId/batches/:batchNo',
  account: '/accounts/:name',
  proposal: '/proposals/:no',
  schedule: '/schedules/:name',
};

/**
 * Finds the subject that an address names, in its current state.
 * @param params of the route: `fileId`, `batchNo`, `name`, `no`
 * @throws Refusal NOT_FOUND, PipelineError NOT_FOUND
 */
export async function findSubject<Kind extends Subject['kind']>(
  context: WebContext,
  kind: Kind,
  params: unknown,
): Promise<SubjectOf<Kind>> {
  return FINDERS[kind](context, params);
}

const FINDERS: {
  readonly [Kind in Subject['kind']]: (context: WebContext, params: unknown) => Promise<SubjectOf<Kind>>;
} = {
  file: async ({ app }, params) => ({ kind: 'file', file: await readFileRow(app.ledger, fieldOf(params, 'fileId')) }),
  batch: async ({ app }, params) => {
    const [fileId, batchNo] = [fieldOf(params, 'fileId'), numberOf(params, 'batchNo', 6)];
    const file = await readFileRow(app.ledger, fileId);
    return { kind: 'batch', file, batch: await readBatchRow(app.ledger, { fileId, batchNo }) };
  },
  account: async ({ app }, params) => {
    const name = fieldOf(params, 'name');
    if (name === ALL) return { kind: 'account', account: ALL_ACCOUNTS };
    // An account that left the configuration may still have open batches.
    const known = await readAccountStates(app.ledger, [...app.settings.accounts.keys()]);
    if (!known.some(({ account }) => account === name)) throw new Refusal('NOT_FOUND');
    return { kind: 'account', account: name };
  },
  proposal: async ({ app }, params) => {
    const proposal = await readProposal(app.ledger, numberOf(params, 'no', 15));
    return { kind: 'proposal', proposal, file: await readFileRow(app.ledger, proposal.file_id) };
  },
  schedule: async ({ app }, params) => {
    const schedule = fieldOf(params, 'name');
    if (!Object.hasOwn(app.settings.schedules, schedule)) throw new Refusal('NOT_FOUND');
    return { kind: 'schedule', schedule };
  },
};

/** @param mostDigits number of digits that fit into the column */
function numberOf(params: unknown, name: string, mostDigits: number): number {
  const text = fieldOf(params, name);
  if (!/^[1-9]\d*$/.test(text) || text.length > mostDigits) throw new Refusal('NOT_FOUND');
  return Number(text);
}
