import { ERRORS, type FaultCode, PROFILE_CODES } from '../../../../schemas/errors.ts';
import { LAYOUTS } from '../../../../schemas/layouts.ts';
import { COMPLETENESS, type BatchState, type FileState, FINAL_BATCH_STATES } from '../../../../schemas/lifecycle.ts';
import type { HandledAction } from '../../../actions/action.ts';
import type { Block, ShownFile } from '../../../explain/read-blocks.ts';
import { MOST_AGAIN } from '../../../ledger/overview/may-go-again.ts';
import { capital, ended, whoDid } from '../../../explain/why/sentence.ts';
import { SHOWN, type Shown } from '../../../../schemas/shown.ts';
import { ALL_ACCOUNTS } from '../../../ledger/account/pause-account.ts';
import { counted, groupDigits, groupedCount } from '../../../kernel/counted.ts';
import type { FaultCount } from '../../../ledger/row/fault-counts.ts';
import type { FileFigures } from '../../../ledger/file/file-figures.ts';
import type { FileRow, OutputRow, ProfileRow } from '../../../ledger/engine/records.ts';
import { remedyOf } from '../../../explain/hold-reasons.ts';
import { isFormerName } from '../../../ledger/merchant/bound-accounts.ts';
import type { Feature } from '../../../feature.ts';
import { actionsFor } from '../../actions/actions-for.ts';
import { actorOf, type Viewer, viewerMay } from '../../access/viewer.ts';
import { Facts, Notice } from '../../parts/blocks.tsx';
import { ActionLinks, Token } from '../../parts/page.tsx';
import { Count, Moment, Money, StateBadge } from '../../parts/words.tsx';
import type { Customs } from './read-address.ts';
import { addressOf } from '../../parts/address.ts';

/** The version that reads a file; undefined in a folder without a profile. */
type OfProfile = { readonly profile?: Pick<ProfileRow, 'name' | 'version'> | undefined };

/** What is known of a file on each of its tabs. */
export type HeadFacts = OfProfile & {
  readonly file: FileRow & ShownFile;
  readonly customs: Customs;
  /** Who is charged. */
  readonly merchant: string;
  readonly figures: FileFigures;
  /** Who uploaded it on the dashboard, as in the audit trail. */
  readonly maker: string | undefined;
  /** Whether rows of it may be sent again. */
  readonly hasRowsToSend: boolean;
  /** The first batch with rows whose outcome is unknown and that no person has closed. */
  readonly undecidedNo: number | undefined;
  /** How many of them a selection takes, counted up to `MOST_AGAIN`. */
  readonly again: number;
  readonly outputs: readonly Pick<OutputRow, 'kind'>[];
  readonly features: readonly Feature[];
};

/** Shows a file at a glance: how it stands, its money, and how far it is. */
export function FileFacts({
  file,
  customs: { timeZone, currency },
  merchant,
  figures,
  maker,
}: Pick<HeadFacts, 'file' | 'customs' | 'merchant' | 'figures' | 'maker'>) {
  const { batches, done } = progressOf(figures);
  return (
    <>
      <Facts
        facts={[
          ['State', <StateBadge of={file} />],
          ['Since', <Moment at={file.state_at} timeZone={timeZone} />],
          ['Total', file.valid_cents !== null && <Money cents={file.valid_cents} currency={currency} />],
          ['Payments', file.valid_rows !== null && <Count of={file.valid_rows} />],
          ['Rows', file.archive_no !== null && 'archived; "paydrop archive read" on the host shows them'],
          ['Withheld rows', file.invalid_rows ? <Count of={file.invalid_rows} /> : undefined],
          ['Account', <AccountLink file={file} />],
          ['Merchant', merchant],
          ['Received', <Moment at={file.claimed_at} timeZone={timeZone} />],
          ['Uploaded by', maker && whoDid(maker)],
        ]}
      />
      {done < batches && file.state !== 'held' && (
        <p>
          <label>
            {`${groupDigits(String(done))} of ${groupedCount(batches, 'batch')} done`}
            <progress max={batches} value={done} />
          </label>
        </p>
      )}
    </>
  );
}

function AccountLink({ file: { account, operation } }: { file: FileRow }) {
  return (
    <>
      <a href={`/accounts/${encodeURIComponent(account)}`}>{account}</a> · {operation}
    </>
  );
}

function progressOf({ states }: FileFigures): { batches: number; done: number } {
  const count = (all: readonly BatchState[]) => all.reduce((sum, state) => sum + (states[state]?.batches ?? 0), 0);
  return { batches: count(Object.keys(states) as BatchState[]), done: count(FINAL_BATCH_STATES) };
}

/** Shows what only an engineer or an auditor asks for. */
export function FileDetails({ file, profile }: OfProfile & { file: FileRow }) {
  return (
    <details class="more">
      <summary>Details</summary>
      <Facts
        facts={[
          ['Folder', file.folder],
          ['Layout', file.layout && LAYOUTS[file.layout].title],
          ['Profile', profile && <ProfileLink profile={profile} />],
          ['Rows of the file', file.records !== null && <Count of={file.records} />],
          ['Completeness', COMPLETENESS[file.completeness]],
          ['Bytes', <Count of={file.bytes} />],
          ['File id', <span class="id">{file.file_id}</span>],
          ['SHA-256', <code class="wrap">{file.sha256}</code>],
          ['Site', file.site],
        ]}
      />
    </details>
  );
}

/** The one thing to do next with a file, as a button, or whom it waits for. */
type MainStep =
  | { readonly label: string; readonly path: string; readonly action?: HandledAction }
  /** The button selects what of the file may go again, and leads to its plan. */
  | { readonly label: string; readonly selects: true; readonly action: HandledAction }
  | { readonly waits: string };

/** Returns what to do next; undefined when there is nothing to do, or this viewer may not do it. */
export function mainStepOf(viewer: Viewer, facts: Omit<HeadFacts, 'customs'>): MainStep | undefined {
  return (STEPS[facts.file.shown] ?? afterTheEnd)(viewer, facts);
}

type StepOf = (viewer: Viewer, facts: Omit<HeadFacts, 'customs'>) => MainStep | undefined;

/** The step for each way in which a file stands that needs one; otherwise the file is at its end or on its way. */
const STEPS: { readonly [Name in Shown]?: StepOf } = {
  in_doubt: (_viewer, facts) => ({ label: 'Resolve…', path: `${batchPath(facts, 'unknown')}/resolve` }),
  undecided: (_viewer, { file, undecidedNo = 1 }) => ({
    label: 'Resolve…',
    path: `/files/${file.file_id}/batches/${undecidedNo}/resolve`,
  }),
  mismatch: (_viewer, facts) => ({
    label: 'Compare',
    path: `${batchPath(facts, 'exception')}#s-what-was-sent-and-what-was-returned`,
  }),
  refused: (viewer, facts) =>
    viewerMay(viewer, 'retry')
      ? { label: 'Send again…', path: `${batchPath(facts, 'refused')}/do/retry` }
      : { waits: 'An operator sends it again or withdraws it.' },
  needs_approval: (viewer, { file, maker }) => {
    if (!file.valid_rows) return undefined;
    if (!viewerMay(viewer, 'approve')) return { waits: 'It waits for an approver.' };
    if (maker === actorOf(viewer)) return { waits: 'You uploaded it, so another approver decides.' };
    return { label: 'Review and approve…', path: addressOf('/approvals', { file: file.file_id }), action: 'approve' };
  },
  rejected: (viewer, { file }) =>
    viewerMay(viewer, 'drop')
      ? { label: 'Upload the corrected file…', path: addressOf('/drop', { replaces: file.file_id }) }
      : undefined,
};

function batchPath({ file, figures }: Pick<HeadFacts, 'file' | 'figures'>, state: BatchState): string {
  return `/files/${file.file_id}/batches/${figures.states[state]?.firstNo ?? 1}`;
}

function afterTheEnd(...[viewer, { file, hasRowsToSend, again, outputs }]: Parameters<StepOf>): MainStep | undefined {
  const path = `/files/${file.file_id}`;
  if (again > 0 && viewerMay(viewer, 'reprocess')) {
    const count = `${groupDigits(String(again))}${again >= MOST_AGAIN ? '+' : ''}`;
    return { label: `Reprocess ${count}…`, selects: true, action: 'resubmit' };
  }
  if (hasRowsToSend && file.state === 'completed' && viewerMay(viewer, 'resubmit'))
    return { label: 'Send again…', path: `${path}/do/resubmit`, action: 'resubmit' };
  const hasResult = outputs.some(({ kind }) => kind === 'result');
  return hasResult ? { label: 'Download results', path: `${path}/outputs/result` } : undefined;
}

/** Shows the step to take as the one filled button, and all else that can be done folded away. */
export function FileActions({ viewer, ...facts }: Omit<HeadFacts, 'customs'> & { viewer: Viewer }) {
  const step = mainStepOf(viewer, facts);
  const main = step && !('waits' in step) ? step : undefined;
  const others = actionsOf(facts).filter((name) => name !== main?.action && viewerMay(viewer, name));
  return (
    <>
      {step && 'waits' in step && <p class="soft">{step.waits}</p>}
      {main && 'path' in main && (
        <p class="actions">
          <a class="button main" href={main.path}>
            {main.label}
          </a>
        </p>
      )}
      {main && 'selects' in main && (
        <form method="post" action="/queue/selections" class="actions">
          <Token viewer={viewer} />
          <input type="hidden" name="file" value={facts.file.file_id} />
          <input type="hidden" name="from" value={`/files/${facts.file.file_id}`} />
          <button type="submit" class="main">
            {main.label}
          </button>
        </form>
      )}
      {others.length > 0 && (
        <details class="more">
          <summary>More actions</summary>
          <ActionLinks viewer={viewer} actions={others} base={`/files/${facts.file.file_id}`} />
        </details>
      )}
    </>
  );
}

function ProfileLink({ profile: { name, version } }: { profile: Pick<ProfileRow, 'name' | 'version'> }) {
  return <a href={addressOf(`/profiles/${name}`, { version })}>{`${name} version ${version}`}</a>;
}

/** Says that something is wrong with a file, or keeps it from being sent; nothing for a file on its way. */
export function StandingNotice({ file: { shown, state, blockedBy } }: { file: FileRow & ShownFile }) {
  const { word, tone, means } = SHOWN[shown];
  if (state === 'held' && blockedBy.length > 0) return <BlockNotice title="Blocked after approval" by={blockedBy} />;
  if (shown === 'blocked') return <BlockNotice title={word} by={blockedBy} />;
  if (tone !== 'bad') return null;
  return (
    <Notice kind="bad" title={word}>
      <p>{ended(capital(means))}</p>
    </Notice>
  );
}

function BlockNotice({ title, by }: { title: string; by: readonly Block[] }) {
  return (
    <Notice kind="warn" title={title}>
      <ul>
        {by.map((block) => (
          <li key={block.says}>
            {ended(capital(block.says))} <a href={addressOfBlock(block)}>See it</a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function addressOfBlock({ account, fileId, batchNo }: Block): string {
  if (fileId !== null) return batchNo === null ? `/files/${fileId}` : `/files/${fileId}/batches/${batchNo}`;
  return account === ALL_ACCOUNTS ? '/accounts' : `/accounts/${encodeURIComponent(account)}`;
}

const OF_PROFILES: ReadonlySet<FaultCode> = new Set<FaultCode>(PROFILE_CODES);

/** Shows every reason why a held file waits, with its remedy, and the profile if that may be wrong. */
export function HoldNotice({ file, held, profile }: OfProfile & { file: FileRow; held: readonly FaultCount[] }) {
  if (file.state !== 'held') return null;
  return (
    <Notice kind="warn" title={held.length === 0 && file.reason ? `Needs approval: ${file.reason}` : 'Needs approval'}>
      {held.length === 0 && <p>{remedyOf(file.reason_code)}</p>}
      {held.length > 0 && (
        <ul>
          {held.map(({ code, count, line, detail }) => (
            <li key={code}>
              {capital(ERRORS[code].means)}
              {ERRORS[code].scope === 'row' && ` (${counted(count, 'row')}, the first on line ${line})`}
              {detail && `: ${detail}`}. {ERRORS[code].remedy}
            </li>
          ))}
        </ul>
      )}
      {profile && held.some(({ code }) => OF_PROFILES.has(code)) && (
        <p>
          The profile that reads it: <ProfileLink profile={profile} />
        </p>
      )}
    </Notice>
  );
}

const isOver = (state: FileState) => state === 'cancelled' || state === 'partly_cancelled';

/** Returns the actions for a file: all that its state allows, some under a further condition. */
export function actionsOf({
  file: { state, account, late },
  figures: { states },
  hasRowsToSend,
  outputs,
  features,
}: Pick<HeadFacts, 'figures' | 'hasRowsToSend' | 'outputs' | 'features'> & {
  file: Pick<FileRow, 'state' | 'account'> & Pick<ShownFile, 'late'>;
}): HandledAction[] {
  const conditions: Partial<Record<HandledAction, boolean>> = {
    cancel: states.ready !== undefined || states.refused !== undefined,
    acknowledge: late !== undefined,
    // Rows of a former account go again only by a move. Other files are where they belong.
    resubmit: hasRowsToSend && !isFormerName(account),
    move: isFormerName(account) && (hasRowsToSend || !isOver(state)),
    'check-outputs': outputs.length > 0,
    // The check offers it when an output is missing.
    'rebuild-outputs': false,
  };
  return actionsFor(features, 'file', state).filter((name) => conditions[name] ?? true);
}
