import { action, ADMINS, type FeatureRows } from '../../../schemas/table-rows.ts';

/** What the archive of rows adds to the tables. */
export const rows = {
  actions: {
    'archive-rows': action('account', ADMINS, 'Archive old rows', { destructive: 'irreversible', binds: ['rows'] }),
  },
  crashPoints: {
    'archive.written': 'an archive has its name and was not read back, the ledger does not know it',
    'archive.verified': 'an archive was read back, the ledger does not know it',
    'archive.recorded': 'an archive is in the ledger, none of its rows was deleted',
    'archive.slice-deleted': 'a slice of archived rows was deleted, others may be left',
  },
  hostCommands: { 'old-rows': 'archive read FILE' },
} as const satisfies FeatureRows;
