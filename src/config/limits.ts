import type { AccountConfig, FolderConfig } from '../../schemas/config.ts';

/** Limits of a file and a day, in rows and cents; undefined for no limit. */
export type Limits = {
  readonly rowCents: number | undefined;
  readonly fileRows: number | undefined;
  readonly fileCents: number | undefined;
  readonly dayCents: number | undefined;
};

/** Returns the limits of an account and one of its folders; the tighter one applies. */
export function limitsOf(account: Pick<AccountConfig, 'limits'>, folder?: Pick<FolderConfig, 'limits'>): Limits {
  const [all, own] = [account.limits, folder?.limits];
  return {
    rowCents: centsOf(tighter(all.rowAmount, own?.rowAmount)),
    fileRows: tighter(all.fileRows, own?.fileRows),
    fileCents: centsOf(tighter(all.fileTotal, own?.fileTotal)),
    dayCents: centsOf(all.dayTotal),
  };
}

function tighter(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

/** The schema allows two decimals, so rounding restores the exact number of cents. */
function centsOf(amount: number | undefined): number | undefined {
  return amount === undefined ? undefined : Math.round(amount * 100);
}
