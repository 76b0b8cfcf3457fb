import { ERRORS } from '../../../../schemas/errors.ts';
import { LAYOUTS } from '../../../../schemas/layouts.ts';
import { COMPLETENESS } from '../../../../schemas/lifecycle.ts';
import type { ActionName } from '../../../../schemas/actions.ts';
import { counted } from '../../../kernel/counted.ts';
import type { FaultCount } from '../../../ledger/row/fault-counts.ts';
import type { FileFigures } from '../../../ledger/file/file-figures.ts';
import type { FileRow } from '../../../ledger/engine/records.ts';
import { remedyOf } from '../../../explain/remedy-of.ts';
import { Facts, Notice } from '../../parts/blocks.tsx';
import { Count, Moment, Money, State } from '../../parts/words.tsx';
import type { Customs } from './read-address.ts';

/** Shows a file at a glance. */
export function FileFacts({ file, customs: { timeZone, currency } }: { file: FileRow; customs: Customs }) {
  return (
    <Facts
      facts={[
        ['State', <State state={file.state} />],
        ['Since', <Moment at={file.state_at} timeZone={timeZone} />],
        ['Account', <a href={`/accounts/${encodeURIComponent(file.account)}`}>{file.account}</a>],
        ['Operation', file.operation],
        ['Folder', file.folder],
        ['Layout', file.layout && LAYOUTS[file.layout].title],
        ['Rows', file.records !== null && <Count of={file.records} />],
        ['Valid rows', file.valid_rows !== null && <Count of={file.valid_rows} />],
        [
          'Total of the valid rows',
          file.valid_cents !== null && <Money cents={file.valid_cents} currency={currency} />,
        ],
        ['Withheld rows', file.invalid_rows ? <Count of={file.invalid_rows} /> : undefined],
        ['Taken', <Moment at={file.claimed_at} timeZone={timeZone} />],
        ['That it was whole is', COMPLETENESS[file.completeness]],
        ['Bytes', <Count of={file.bytes} />],
        ['File id', <span class="id">{file.file_id}</span>],
        ['sha256', <code class="wrap">{file.sha256}</code>],
        ['Site', file.site],
      ]}
    />
  );
}

/** Shows every reason why a held file waits, with its remedy. */
export function HoldNotice({ file, held }: { file: FileRow; held: readonly FaultCount[] }) {
  if (file.state !== 'held') return null;
  return (
    <Notice kind="warn" title={held.length === 0 && file.reason ? `Held: ${file.reason}` : 'Held for a person'}>
      {held.length === 0 && <p>{remedyOf(file.reason_code)}</p>}
      {held.length > 0 && (
        <ul>
          {held.map(({ code, count, line, detail }) => (
            <li key={code}>
              <code>{code}</code> {ERRORS[code].means}
              {ERRORS[code].scope === 'row' && ` (${counted(count, 'row')}, the first on line ${line})`}
              {detail && `: ${detail}`}. {ERRORS[code].remedy}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

/** Returns the actions for a file in its current state. */
export function actionsOf({ state }: FileRow, { states }: FileFigures, hasOutputs: boolean): ActionName[] {
  const isOnItsWay = state === 'accepted' || state === 'in_progress';
  const isStoppable = states.ready !== undefined || states.preparing !== undefined || states.refused !== undefined;
  const isEnded = state === 'completed' || state === 'partly_cancelled' || state === 'cancelled';
  return [
    ...(state === 'held' ? (['approve', 'decline'] as const) : []),
    ...(isOnItsWay && isStoppable ? (['cancel'] as const) : []),
    ...(isEnded ? (['resubmit'] as const) : []),
    ...(hasOutputs ? (['check-outputs'] as const) : []),
  ];
}
