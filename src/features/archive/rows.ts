import { action, ADMINS, type FeatureRows } from '../../../schemas/table-rows.ts';

/** What the archive of rows adds to the tables. */
export const rows = {
  actions: {
    'archive-rows': action('account', ADMINS, 'Archive old rows', { destructive: 'irreversible', binds: ['rows'] }),
  },
  hostCommands: { 'old-rows': 'archive read FILE' },
} as const satisfies FeatureRows;
