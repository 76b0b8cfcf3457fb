import { lazyAction } from '../../actions/action.ts';
import type { Feature } from '../../feature.ts';

/** Keeps the ledger small: the rows of old finished files move to sealed files on this host, and can be read there. */
export const archive: Feature = {
  name: 'archive',
  actions: {
    'archive-rows': lazyAction(
      {
        needs: 'app',
        comparesJournal: true,
        picks: [
          {
            name: 'before',
            label: 'Before',
            hint: 'Rows of files that ended before this day, such as 2026-01-31, in UTC',
            kind: 'text',
            isRequired: true,
          },
        ],
      },
      async () => (await import('./archive-rows.ts')).archiveRows,
    ),
  },
  commands: { archive: async () => (await import('./command.ts')).archive },
  stepsFor: ({ file_id: fileId, archive_no: no }) =>
    no === null ? [] : [['To read its rows: ', { run: 'old-rows', fileId }, '.']],
  verifiers: async () => ({ Archives: (await import('./verify-archives.ts')).verifyArchives }),
  work: async () => ({
    tidy: async ({ ledger }, isStopping) => {
      const { emptyArchived } = await import('./archivable.ts');
      await emptyArchived(ledger, isStopping);
    },
  }),
};
