import { counted } from '../../../kernel/counted.ts';
import type { AuditLink } from '../../../ledger/overview/list-audit.ts';
import { Table } from '../../parts/blocks.tsx';
import { Moment, State } from '../../parts/words.tsx';

/** Shows links of the audit trail: who, what, when, why, and the evidence. */
export function LinkTable({
  links,
  timeZone,
  isFiltered,
}: {
  links: readonly AuditLink[];
  timeZone: string;
  isFiltered: boolean;
}) {
  return (
    <Table
      label="Links of the audit trail"
      rows={links}
      empty={
        isFiltered
          ? 'Nothing fits. Leave out a field, or show everything.'
          : 'Nothing has happened yet. Every move of a file, a batch, an account or a person stands here, with who and why.'
      }
      columns={[
        { title: 'Link', cell: ({ seq }) => seq, isFigure: true },
        { title: 'When', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
        { title: 'Who', cell: ({ actor }) => actor },
        { title: 'What', cell: (link) => <What link={link} /> },
        { title: 'To', cell: (link) => <Whither link={link} /> },
        { title: 'Why', cell: ({ reason }) => reason },
        { title: 'Evidence', cell: ({ evidence }) => <Evidence evidence={evidence} /> },
      ]}
    />
  );
}

function What({ link: { move, to_state: state } }: { link: AuditLink }) {
  return (
    <>
      {move} {state && <State state={state} />}
    </>
  );
}

function Whither({ link: { file_id: fileId, batch_no: batchNo, evidence } }: { link: AuditLink }) {
  if (fileId !== null && batchNo !== null) {
    return (
      <a class="id" href={`/files/${fileId}/batches/${batchNo}`}>
        {`${fileId}/${batchNo}`}
      </a>
    );
  }
  if (fileId !== null) {
    return (
      <a class="id" href={`/files/${fileId}`}>
        {fileId}
      </a>
    );
  }
  const { account } = evidence;
  return typeof account === 'string' ? <>{account === '*' ? 'all accounts' : account}</> : null;
}

function Evidence({ evidence }: { evidence: Record<string, unknown> }) {
  const facts = Object.entries(evidence);
  if (facts.length === 0) return null;
  return (
    <details>
      <summary>{counted(facts.length, 'fact')}</summary>
      <dl class="evidence">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code class="wrap">{typeof value === 'string' ? value : JSON.stringify(value)}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
