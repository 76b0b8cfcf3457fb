import type { AccountConfig, FolderConfig } from '../../schemas/config.ts';

/** What a file may have at most, in rows and cents; undefined where there is no limit. */
export type Limits = {
  readonly rowCents: number | undefined;
  readonly fileRows: number | undefined;
  readonly fileCents: number | undefined;
  readonly dayCents: number | undefined;
};

/** The limits of an account and one of its folders; the tighter of two counts. */
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

/** The schema allows two decimals, so the nearest whole number of cents is the one that was written. */
function centsOf(amount: number | undefined): number | undefined {
  return amount === undefined ? undefined : Math.round(amount * 100);
}
