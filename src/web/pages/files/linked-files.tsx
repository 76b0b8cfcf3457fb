import type { LinkedFile, LinkKind } from '../../../ledger/file/linked-files.ts';
import { Table } from '../../parts/blocks.tsx';
import { Count, Moment, State } from '../../parts/words.tsx';

/** Shows files related to this one. */
export function LinkedFiles({ files, timeZone }: { files: readonly LinkedFile[]; timeZone: string }) {
  return (
    <Table
      label="Linked files"
      rows={files}
      empty="None. Files made of rows of this one, or of the same content, stand here."
      columns={[
        { title: 'How', cell: ({ kind }) => WORDS[kind] },
        {
          title: 'File',
          cell: ({ fileId, name }) => (fileId === null ? name : <a href={`/files/${fileId}`}>{name}</a>),
        },
        {
          title: 'State',
          cell: ({ state }) => (state === null ? 'has not come through its folder yet' : <State state={state} />),
        },
        { title: 'Rows', isFigure: true, cell: ({ rows }) => rows !== null && <Count of={rows} /> },
        { title: 'When', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
      ]}
    />
  );
}

const WORDS: Readonly<Record<LinkKind, string>> = {
  made_from: 'This file was made of rows of',
  resubmitted_as: 'Rows of this file were resubmitted as',
  duplicate_of: 'This file has the content of',
  repeated_by: 'The same content came again as',
};
