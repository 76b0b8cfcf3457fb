import type { Defect } from './defects.ts';

/** Defects about rows of finished batches that may or may not have been charged. */
export const DOUBT_DEFECTS: readonly Defect[] = [
  {
    name: 'undecided rows count as closed',
    about: 'rows whose outcome the service did not say are on no list',
    file: 'schemas/ledger/result.sql',
    find: 'b.doubt_closed_at IS NOT NULL AND (u.at IS NULL',
    replace: 'b.doubt_closed_at IS NULL OR (u.at IS NULL',
    caughtBy: ['test/actions/resolve/unknown-rows.test.ts'],
  },
  {
    name: 'a doubt after the closing counts as closed',
    about: 'rows that become unknown after a person closed others are on no list',
    file: 'schemas/ledger/result.sql',
    find: 'OR u.at <= b.doubt_closed_at)',
    replace: 'OR u.at > b.doubt_closed_at OR u.at <= b.doubt_closed_at)',
    caughtBy: ['test/actions/resolve/unknown-rows.test.ts'],
  },
  {
    name: 'a report changes known outcomes',
    about: 'a report for an unknown row also overwrites the rows that the service answered for',
    file: 'src/ledger/doubt/unknown-rows.ts',
    find: 'certain: certain.filter(({ line }) => open.has(line)),',
    replace: 'certain,',
    caughtBy: ['test/actions/resolve/unknown-rows.test.ts'],
  },
  {
    name: 'undecided rows are archived',
    about: 'rows that wait for a report leave the ledger',
    file: 'src/features/archive/archivable.ts',
    find: 'u.file_no = f.file_no AND NOT u.is_closed',
    replace: 'u.file_no = f.file_no AND false',
    caughtBy: ['test/features/archive/archive-rows.test.ts'],
  },
];
