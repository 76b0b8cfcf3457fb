import { ERRORS, type FaultCode, PROFILE_CODES } from '../../../../schemas/errors.ts';
import { LAYOUTS } from '../../../../schemas/layouts.ts';
import {
  COMPLETENESS,
  BATCH_STATES,
  type BatchState,
  FINAL_BATCH_STATES,
  OUTCOMES,
  type Outcome,
} from '../../../../schemas/lifecycle.ts';
import type { HandledAction } from '../../../actions/action.ts';
import type { Block, ShownFile } from '../../../explain/read-blocks.ts';
import { capital, ended } from '../../../explain/why/sentence.ts';
import { SHOWN } from '../../../../schemas/shown.ts';
import { ALL_ACCOUNTS } from '../../../ledger/account/pause-account.ts';
import { counted } from '../../../kernel/counted.ts';
import type { FaultCount } from '../../../ledger/row/fault-counts.ts';
import type { FileFigures } from '../../../ledger/file/file-figures.ts';
import type { FileRow, ProfileRow } from '../../../ledger/engine/records.ts';
import { remedyOf } from '../../../explain/hold-reasons.ts';
import { actionsFor } from '../../actions/actions-for.ts';
import { Facts, Notice, Table } from '../../parts/blocks.tsx';
import { Count, Moment, Money, StateBadge, OutcomeWord } from '../../parts/words.tsx';
import type { Customs } from './read-address.ts';
import type { OutcomeTotals, Totals } from '../../../rows/rows.ts';
import { addressOf } from '../../parts/address.ts';
import { OutcomeBar } from '../../parts/charts.tsx';

/** The version that reads a file; undefined in a folder without a profile. */
type OfProfile = { readonly profile?: Pick<ProfileRow, 'name' | 'version'> | undefined };

/** Shows a file at a glance. */
export function FileFacts({
  file,
  customs: { timeZone, currency },
  profile,
}: OfProfile & { file: FileRow & ShownFile; customs: Customs }) {
  return (
    <Facts
      facts={[
        ['State', <StateBadge of={file} />],
        ['Since', <Moment at={file.state_at} timeZone={timeZone} />],
        ['Account', <a href={`/accounts/${encodeURIComponent(file.account)}`}>{file.account}</a>],
        ['Operation', file.operation],
        ['Folder', file.folder],
        ['Layout', file.layout && LAYOUTS[file.layout].title],
        ['Profile', profile && <ProfileLink profile={profile} />],
        ['Rows', file.records !== null && <Count of={file.records} />],
        ['Valid rows', file.valid_rows !== null && <Count of={file.valid_rows} />],
        [
          'Total of the valid rows',
          file.valid_cents !== null && <Money cents={file.valid_cents} currency={currency} />,
        ],
        ['Withheld rows', file.invalid_rows ? <Count of={file.invalid_rows} /> : undefined],
        ['Taken', <Moment at={file.claimed_at} timeZone={timeZone} />],
        ['Completeness', COMPLETENESS[file.completeness]],
        ['Bytes', <Count of={file.bytes} />],
        ['File id', <span class="id">{file.file_id}</span>],
        ['sha256', <code class="wrap">{file.sha256}</code>],
        ['Site', file.site],
      ]}
    />
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
      <p>{ended(capital(means))} What to do is told below.</p>
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
  if (fileId !== null) return `/files/${fileId}/batches/${batchNo}`;
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

/** Returns the actions for a file: all that its state allows, some under a further condition. */
export function actionsOf({ state }: FileRow, { states }: FileFigures, hasOutputs: boolean): HandledAction[] {
  const conditions: Partial<Record<HandledAction, boolean>> = {
    cancel: states.ready !== undefined || states.preparing !== undefined || states.refused !== undefined,
    'check-outputs': hasOutputs,
    // The check offers it when an output is missing.
    'rebuild-outputs': false,
  };
  return actionsFor('file', state).filter((name) => conditions[name] ?? true);
}

/** Shows rows and money per outcome as a bar and a table, with links to the rows. */
export function OutcomePart({
  fileId,
  figures,
  currency,
}: {
  fileId: string;
  figures: FileFigures;
  currency: string | undefined;
}) {
  const totals = presentTotals(figures);
  const names = (Object.keys(OUTCOMES) as Outcome[]).filter((name) => totals[name]);
  const { waiting, underWay } = openTotals(figures);
  const rows = [
    ...names.map((name) => ({
      name,
      word: <OutcomeWord outcome={name} />,
      means: OUTCOMES[name].means,
      ...totals[name]!,
    })),
    { name: 'open', word: 'waits', means: 'not sent yet; nothing was charged', ...waiting },
    { name: 'open', word: 'in progress', means: 'the batch is not final; its money may have moved', ...underWay },
  ].filter((row) => row.rows > 0);
  return (
    <>
      {names.length > 0 && <OutcomeBar totals={totals} label="Outcomes of the file" currency={currency} />}
      <Table
        label="Outcomes"
        rows={rows}
        empty="No rows yet. The outcome of each row is listed here once the service has answered."
        columns={[
          { title: 'Outcome', cell: ({ word }) => word },
          { title: 'Meaning', cell: ({ means }) => means },
          {
            title: 'Rows',
            isFigure: true,
            cell: ({ name, rows: count }) => (
              <a href={addressOf(`/files/${fileId}/rows`, { outcome: name })}>
                <Count of={count} />
              </a>
            ),
          },
          { title: 'Total', isFigure: true, cell: ({ cents }) => <Money cents={cents} currency={currency} /> },
        ]}
      />
    </>
  );
}

/** Sums every row that reached its end: outcomes of sent rows, rows never to be sent, and withheld rows. */
export function presentTotals({ now, states: { cancelled }, withheld }: FileFigures): OutcomeTotals {
  return {
    ...now,
    ...(cancelled && { not_sent: { rows: cancelled.rows, cents: cancelled.cents } }),
    ...(withheld.rows > 0 && { invalid: withheld }),
  };
}

/**
 * Sums the rows of open batches; none of them may count as not sent. `waiting` certainly has not left yet; `underWay`
 * may have.
 */
export function openTotals({ states }: FileFigures): { waiting: Totals; underWay: Totals } {
  const add = (wanted: readonly BatchState[]): Totals => ({
    rows: wanted.reduce((sum, state) => sum + (states[state]?.rows ?? 0), 0),
    cents: wanted.reduce((sum, state) => sum + (states[state]?.cents ?? 0), 0),
  });
  const open = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => !isOneOf(FINAL_BATCH_STATES, state));
  return {
    waiting: add(NOT_SENT_YET),
    underWay: add(open.filter((state) => !isOneOf(NOT_SENT_YET, state))),
  };
}

/** States in which nothing was charged and a batch may still be sent. */
const NOT_SENT_YET = ['ready', 'preparing', 'refused'] as const satisfies readonly BatchState[];

function isOneOf(states: readonly BatchState[], state: BatchState): boolean {
  return states.includes(state);
}
