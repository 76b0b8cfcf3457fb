import { ACTIONS } from '../../../schemas/actions.ts';
import { ProfileName } from '../../../schemas/profiles.ts';
import type { StepIds } from '../../../schemas/steps.ts';
import { ALL_ACCOUNTS } from '../../ledger/account/pause-account.ts';
import { readFileOf, readProposal } from '../../ledger/proposal/proposals.ts';
import { readBatchRow, readFileRow } from '../../ledger/file/read-file.ts';
import { nameRun } from '../../explain/read-schedules.ts';
import { findRun } from '../../ledger/schedule/read-runs.ts';
import { readReprocess } from '../../ledger/reprocess/judge-items.ts';
import { readAccountStates } from '../../ledger/account/read-holds.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import type { WebContext } from '../web-context.ts';
import type { ActionReport, HandledAction, Next, Subject, SubjectOf } from '../../actions/action.ts';
import type { SubjectFinder } from '../../actions/run-action.ts';
import type { FileRow } from '../../ledger/engine/records.ts';

/** Stands for all accounts in an address. */
const ALL = 'all';

/** Base path of each kind of subject; the action follows after `/do/`. */
export const SUBJECT_PATHS: Readonly<Record<Subject['kind'], string>> = {
  file: '/files/:fileId',
  batch: '/files/:fileId/batches/:batchNo',
  account: '/accounts/:name',
  proposal: '/proposals/:no',
  schedule: '/schedules/:name',
  run: '/schedules/:name/runs/:day',
  selection: '/queue/selections/:no',
  profile: '/profiles/:name',
};

/** Returns an address of such a path; undefined when an id that it needs is not known. */
export function pathWith(
  pattern: string,
  { fileId, batchNo, account, schedule, day, profile }: StepIds,
): string | undefined {
  const name = account === ALL_ACCOUNTS ? ALL : (account ?? schedule ?? profile);
  const ids: Readonly<Record<string, string | number | undefined>> = { fileId, batchNo, name, day };
  const params = [...pattern.matchAll(/:(\w+)/g)].map(([, id]) => id!);
  if (params.some((id) => ids[id] === undefined)) return undefined;
  return pattern.replace(/:(\w+)/g, (_, id: string) => encodeURIComponent(ids[id]!));
}

/**
 * Finds the subject that an address names, in its current state.
 * @param params of the route: `fileId`, `batchNo`, `name`, `day`, `no`
 * @throws Refusal NOT_FOUND, PipelineError NOT_FOUND
 */
export async function findSubject<Kind extends Subject['kind']>(
  context: WebContext,
  kind: Kind,
  params: unknown,
): Promise<SubjectOf<Kind>> {
  return FINDERS[kind](context, params);
}

/** Returns what finds the subject that the parameters of a route name. */
export function finderIn(context: WebContext, params: unknown): SubjectFinder {
  return (kind) => findSubject(context, kind, params);
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
    return { kind: 'proposal', proposal, file: await readFileOf(app.ledger, proposal) };
  },
  schedule: async ({ app }, params) => {
    const schedule = fieldOf(params, 'name');
    if (!Object.hasOwn(app.settings.schedules, schedule)) throw new Refusal('NOT_FOUND');
    return { kind: 'schedule', schedule };
  },
  run: async ({ app }, params) => ({
    kind: 'run',
    run: await findRun(app.ledger, fieldOf(params, 'name'), fieldOf(params, 'day')),
  }),
  selection: async ({ app }, params) => {
    const run = await readReprocess(app.ledger.pool, numberOf(params, 'no', 15));
    return { kind: 'selection', run };
  },
  profile: async (_context, params) => {
    const name = ProfileName.safeParse(fieldOf(params, 'name'));
    if (!name.success) throw new Refusal('NOT_FOUND');
    return { kind: 'profile', profile: name.data };
  },
};

/** @param mostDigits number of digits that fit into the column */
function numberOf(params: unknown, name: string, mostDigits: number): number {
  const text = fieldOf(params, name);
  if (!/^[1-9]\d*$/.test(text) || text.length > mostDigits) throw new Refusal('NOT_FOUND');
  return Number(text);
}

/** Returns the title and address of a subject's page. */
export function placeOf(subject: Subject): { title: string; path: string; crumbs: { path: string; label: string }[] } {
  switch (subject.kind) {
    case 'file':
      return filePlace(subject.file);
    case 'batch': {
      const { path, crumbs, title } = filePlace(subject.file);
      return { title: `batch ${subject.batch.batch_no} of ${title}`, path, crumbs };
    }
    case 'account': {
      const isAll = subject.account === ALL_ACCOUNTS;
      const title = isAll ? 'all accounts' : `account ${subject.account}`;
      return { title, path: '/accounts', crumbs: [{ path: '/accounts', label: 'Accounts' }] };
    }
    case 'proposal': {
      const { proposal_no: no } = subject.proposal;
      return { title: `proposal ${no}`, path: '/approvals', crumbs: [{ path: '/approvals', label: 'Approvals' }] };
    }
    case 'schedule':
      return { title: `schedule ${subject.schedule}`, path: '/', crumbs: [{ path: '/', label: 'Today' }] };
    case 'run': {
      const schedules = { path: '/schedules', label: 'Schedules' };
      return { title: nameRun(subject.run), path: schedules.path, crumbs: [schedules] };
    }
    case 'selection': {
      const { run_no: no, name } = subject.run;
      const title = name ?? `selection ${no}`;
      const path = `/queue/selections/${no}`;
      const queue = { path: '/queue', label: 'Queue' };
      return { title, path, crumbs: [queue, { path, label: title }] };
    }
    case 'profile':
      return {
        title: `profile ${subject.profile}`,
        path: `/profiles/${subject.profile}`,
        crumbs: [{ path: '/profiles', label: 'Profiles' }],
      };
  }
}

function filePlace({ file_id: fileId, name }: FileRow) {
  const path = `/files/${fileId}`;
  return {
    title: name,
    path,
    crumbs: [
      { path: '/files', label: 'Files' },
      { path, label: name },
    ],
  };
}

/** Returns whether the result has something that a person must look at; a proposal only waits for another person. */
export function isWarning({ status = 'ok', next = [] }: ActionReport): boolean {
  return status !== 'ok' && !next.some(({ to }) => to === 'proposals');
}

/** Returns the link to what can be done next; `action`, if it is for those who may take that action. */
export function linkOf(next: Next): { path: string; label: string; action?: HandledAction } {
  switch (next.to) {
    case 'proposals':
      return { path: '/approvals', label: 'Approvals' };
    case 'file':
      return { path: `/files/${next.file.file_id}`, label: 'To the file' };
    case 'run':
      return { path: `/queue/selections/${next.runNo}`, label: 'See how far it is' };
    case 'doubt':
      return { path: `${batchPath(next)}/resolve`, label: 'Resolve it' };
    case 'confirm-profile':
      return { path: `/profiles/${next.profile}/do/confirm-profile`, label: ACTIONS[next.to].label, action: next.to };
    case 'rebuild-outputs':
      return { path: `/files/${next.file.file_id}/do/rebuild-outputs`, label: ACTIONS[next.to].label, action: next.to };
    case 'adopt':
      return {
        path: `${batchPath(next)}/do/adopt?batchId=${encodeURIComponent(next.batchId)}`,
        label: `Enter batch id ${next.batchId}`,
        action: next.to,
      };
  }
}

function batchPath({ file, batchNo }: { file: FileRow; batchNo: number }): string {
  return `/files/${file.file_id}/batches/${batchNo}`;
}
