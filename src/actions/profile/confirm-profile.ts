import { takesTwoToConfirm } from '../../config/account-rules.ts';
import { counted, groupDigits, groupedCount } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { sha256Of } from '../../kernel/hash.ts';
import { formatCents } from '../../kernel/money.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import type { ProfileRow } from '../../ledger/engine/records.ts';
import { type Transaction, transact } from '../../ledger/engine/transaction.ts';
import {
  bindingOfVersion,
  confirmProposed,
  type ConfirmedSample,
  type ProposedVersion,
} from '../../ledger/profile/move-profile.ts';
import { readVersions } from '../../ledger/profile/read-profiles.ts';
import { propose } from '../../ledger/proposal/propose.ts';
import { refuseAcquainted } from '../../ledger/proposal/refuse-acquainted.ts';
import type { Action, ActionContext, Ask, Input } from '../action.ts';
import { tryOut } from '../resolve/carry-out.ts';
import { sumWords, versionFacts, versionName } from '../subject-words.ts';
import { type FittingSample, readAgreed, type ReadSample, type SamplePlace } from './compare-sample.ts';
import { changesListing, shownVersion } from './profile-actions.ts';
import { changesOf, foldersOf, readText } from './read-text.ts';

/** The figures are asked for before anything is shown, so that they come from the accounting system. */
const PICKS: readonly Ask[] = [
  {
    name: 'sample',
    label: 'Sample',
    hint: 'A file of the accounting system, unchanged. It is not kept, and nothing of it is sent.',
    kind: 'file',
    isRequired: true,
    isBinary: true,
  },
  { name: 'rows', label: 'Number of payments in the accounting system', kind: 'text', isRequired: true },
  {
    name: 'total',
    label: 'Their total in the accounting system',
    hint: 'With a point before the cents.',
    kind: 'text',
    isRequired: true,
  },
  { name: 'version', label: 'Version', hint: 'Left out, the newest draft.', kind: 'text' },
  { name: 'folder', label: 'Folder', hint: 'Needed when several folders name the profile.', kind: 'text' },
];

/**
 * Returns the action that confirms a draft, once a person has typed the figures that the accounting system shows for a
 * sample. Where two persons are needed, the author of the draft only proposes it.
 */
export function confirmProfileWith(readSample: ReadSample): Action<'profile'> {
  return {
    picks: PICKS,
    plan: async (context, { profile: name }, input) => {
      const checked = await check(context, name, input, readSample);
      const { draft, place, reading, isProposal } = checked;
      // Tried and rolled back, so that no plan is shown for what would be refused.
      const tried = { actor: input.actor, reason: 'tried' };
      await transact(context.ledger, (tx) => tryOut(tx, (trial) => decide(trial, context, checked, tried)));
      const title = versionName(draft);
      return {
        says: [
          isProposal
            ? `Both agree. You propose to confirm ${title}; another person must confirm it.`
            : `Both agree. ${title} then reads the files of ${foldersWords(context, name)}.`,
          ...leftOutWords(reading),
          ...firstFilesWords(draft),
        ],
        facts: [
          ...versionFacts(draft),
          ['Sample', sumWords(context, place.folder.account, reading.rows, reading.cents)],
          ['Read for', place.folder.id],
        ],
        listing: reading.listing ?? changesListing(checked.proposed.changes),
        binds: { version: draft.profile_no, sample: [place.folder.id, checked.proposed] },
        isProposal,
        button: `${isProposal ? 'Propose to confirm' : 'Confirm'} ${title}`,
      };
    },
    run: async (context, { profile: name }, input, because) => {
      const checked = await check(context, name, input, readSample);
      const { draft, proposed, place } = checked;
      const proposalNo = await transact(context.ledger, (tx) => decide(tx, context, checked, because));
      const json = { ...shownVersion(draft), folder: place.folder.id, ...proposed };
      if (proposalNo !== undefined)
        return {
          says: `Proposed: confirm ${versionName(draft)}. Another person must confirm it.`,
          next: [{ to: 'proposals', proposalNo }],
          status: 'held',
          json: { ...json, proposalNo },
        };
      return {
        says: `Confirmed: ${versionName(draft)} reads the files of ${foldersWords(context, name)}.`,
        details: [...leftOutWords(checked.reading), ...firstFilesWords(draft)],
        json: { ...json, state: 'confirmed' },
      };
    },
  };
}

type Checked = {
  readonly draft: ProfileRow;
  readonly place: SamplePlace;
  readonly reading: FittingSample;
  readonly proposed: ProposedVersion;
  /** Whether the person made the draft and needs a second one. */
  readonly isProposal: boolean;
};

/** @throws PipelineError when there is no such draft, or the sample is not what the person says */
async function check(
  context: ActionContext,
  name: string,
  { filled, file, actor }: Input,
  readSample: ReadSample,
): Promise<Checked> {
  const versions = await readVersions(context.ledger, name);
  const draft = findDraft(name, versions, filled['version']);
  const place = findPlace(context, name, filled['folder']);
  const { profile } = readText(context.settings, name, draft.text);
  const given = { profile, bytes: file!.bytes, place };
  const reading = await readAgreed(`confirm ${versionName(draft)}`, filled, given, readSample);
  const { rows, cents, skipped } = reading;
  const sample: ConfirmedSample = { sha256: sha256Of(file!.bytes), rows, cents, skipped };
  const before = versions.find(({ state }) => state === 'confirmed');
  return {
    draft,
    place,
    reading,
    proposed: { sample, changes: changesOf(before, profile), before: before?.profile_no ?? null },
    isProposal: takesTwoToConfirm(context.settings, name) && isSamePerson(draft.made_by, actor),
  };
}

function findDraft(name: string, versions: readonly ProfileRow[], wanted: string | undefined): ProfileRow {
  const found = versions.find(({ version, state }) => (wanted ? String(version) === wanted : state === 'draft'));
  if (found) return found;
  const reason = wanted ? 'there is no such version' : 'it has no draft';
  throw new PipelineError('NOT_FOUND', `confirm profile "${name}"`, reason, {
    next: `See "paydrop profile list", or import its text: "paydrop profile import ${name}.yaml --reason …".`,
  });
}

function findPlace({ settings }: ActionContext, name: string, wanted: string | undefined): SamplePlace {
  const folders = foldersOf(settings, name);
  const fitting = wanted ? folders.filter(({ id }) => id === wanted) : folders;
  if (fitting.length === 1) return { folder: fitting[0]!, account: settings.accounts.get(fitting[0]!.account)! };
  const action = `confirm profile "${name}"`;
  if (fitting.length === 0)
    throw new PipelineError('USAGE', action, wanted ? 'that folder does not name it' : 'no folder names it', {
      next: `Put "profile: ${name}" into its folder in paydrop.yaml first.`,
    });
  const ids = folders.map(({ id }) => id).join(', ');
  throw new PipelineError('USAGE', action, `several folders name it: ${ids}`, {
    next: 'Say which one the sample is for.',
  });
}

/**
 * Confirms a draft, or proposes it. It is tried before it is proposed. Where two persons are needed, the one who
 * confirms is independent of the author.
 * @returns the number of the proposal, if it is only proposed
 */
async function decide(
  tx: Transaction,
  { settings }: ActionContext,
  { draft, proposed: evidence, isProposal }: Checked,
  because: AuditReason,
): Promise<number | undefined> {
  const about = { profile_no: draft.profile_no, evidence };
  if (isProposal) {
    await tryOut(tx, (trial) => confirmProposed(trial, about, because));
    const binding = await bindingOfVersion(tx, about);
    return propose(tx, { action: 'confirm-profile', profileNo: draft.profile_no, binding, evidence, ...because });
  }
  if (takesTwoToConfirm(settings, draft.name))
    await refuseAcquainted(tx, `confirm ${versionName(draft)}`, [draft.made_by, because.actor], settings.newcomerDays);
  await confirmProposed(tx, about, because);
  return undefined;
}

/** The letter case of a login may differ from that of the user's name here. */
function isSamePerson(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function foldersWords({ settings }: ActionContext, name: string): string {
  return foldersOf(settings, name)
    .map(({ id }) => id)
    .join(', ');
}

function leftOutWords({ skipped }: FittingSample): string[] {
  return skipped.map(
    ({ name, rows, cents }) =>
      `Left out of the sample as "${name}": ${groupedCount(rows, 'row')}, ${groupDigits(formatCents(cents))}.`,
  );
}

function firstFilesWords({ first_files: files }: ProfileRow): string[] {
  return files === 0
    ? []
    : [`The next ${counted(files, 'file')} with other bytes than the sample will be held for a look.`];
}
