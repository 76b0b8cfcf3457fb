/** Fingerprints of the rows of a file, as pairs of their halves (`eachFingerprint`). */
export type Fingerprints = { readonly firsts: number[]; readonly seconds: number[] };

/**
 * Keeps the fingerprints of files, to find out whether another has a row that may be one of their payments: with the same
 * fingerprint, or with the same invoice and amount and another kind of payer. `findTwins` asks the same of the ledger.
 */
export function knownPayments() {
  /** By the half for invoice and amount: the other halves, and a bit for each kind of payer. */
  const known = new Map<number, { seconds: Set<number>; kinds: number }>();
  return {
    add: ({ firsts, seconds }: Fingerprints): void => {
      for (const [place, first] of firsts.entries()) {
        const found = known.get(first) ?? { seconds: new Set<number>(), kinds: 0 };
        found.seconds.add(seconds[place]!);
        found.kinds |= kindBitOf(seconds[place]!);
        known.set(first, found);
      }
    },
    hasAny: ({ firsts, seconds }: Fingerprints): boolean =>
      firsts.some((first, place) => {
        const found = known.get(first);
        const second = seconds[place]!;
        return found !== undefined && (found.seconds.has(second) || (found.kinds & ~kindBitOf(second)) !== 0);
      }),
  };
}

/** The kind of payer stands in the two highest bits. */
function kindBitOf(second: number): number {
  return 1 << (second >>> 30);
}
