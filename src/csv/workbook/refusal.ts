const REFUSED = Symbol('refused');

/** Ends the reading of a workbook. `detail` says why, as a clause about the file. */
export function refuse(detail: string): never {
  throw new Error(detail, { cause: REFUSED });
}

/**
 * Returns why a workbook cannot be read. Packages throw plain errors on damaged files; their texts may quote cells.
 * @throws the error itself if it is a mistake of the program
 */
export function refusalOf(error: unknown): string {
  if (!(error instanceof Error) || error.constructor !== Error) throw error;
  return error.cause === REFUSED ? error.message : 'it is damaged';
}
