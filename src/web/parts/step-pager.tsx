/** Links through a list that begins at a number: to the next page or to the start. `Pager` is for lists by time. */
export function StepPager({
  first,
  next,
  says,
}: {
  first?: string | undefined;
  next?: string | undefined;
  says: string;
}) {
  if (first === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {first === undefined ? <span /> : <a href={first}>From the start</a>}
      <span>{says}</span>
      {next === undefined ? <span /> : <a href={next}>Next →</a>}
    </nav>
  );
}

/** Returns the page and the first row of the next one, if any. The caller must have read one row more than `size`. */
export function splitPage<Row>(rows: readonly Row[], size: number): { page: readonly Row[]; more: Row | undefined } {
  return { page: rows.slice(0, size), more: rows[size] };
}
