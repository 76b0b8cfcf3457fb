import { seededChoice } from './card-file.ts';

/** A file of the night: its rows, and the account it is for, counted from 0. */
export type NightFile = { readonly seed: number; readonly rows: number; readonly account: number };

/** One file in so many has this many rows; all others have at most MOST_SMALL. */
const LARGE = { each: 100, rows: 5_000 } as const;
const MOST_SMALL = 300;

/**
 * Plans the files of a night in the order of their arrival: most are small, one in a hundred is large, and the one in
 * the middle is the largest. The same plan each time.
 */
export function planNight(night: { files: number; accounts: number; largest: number }): NightFile[] {
  const below = seededChoice(1);
  return Array.from({ length: night.files }, (_, index) => {
    const small = 1 + below(MOST_SMALL);
    const account = below(night.accounts);
    return { seed: index + 1, rows: rowsAt(index, small, night), account };
  });
}

function rowsAt(index: number, small: number, { files, largest }: { files: number; largest: number }): number {
  if (index === Math.floor(files / 2)) return largest;
  return index % LARGE.each === LARGE.each - 1 ? Math.min(LARGE.rows, largest) : Math.min(small, largest);
}
