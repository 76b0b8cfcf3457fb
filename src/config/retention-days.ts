import { RETENTION_DAYS } from '../../schemas/config.ts';
import type { Settings } from './config.ts';

/** Returns how long sealed originals are kept, by account. Accounts no longer configured get the default. */
export function retentionDays({ accounts }: Pick<Settings, 'accounts'>): {
  byAccount: Record<string, number>;
  others: number;
} {
  const byAccount = Object.fromEntries([...accounts].map(([name, { retention }]) => [name, retention.days]));
  return { byAccount, others: RETENTION_DAYS };
}
