/** Through a list that begins at a number: on from here, or from the start. For lists by time there is `Pager`. */
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

/** The rows of a page and, when there are more, the first of the next. One more than the page holds must have been asked for. */
export function splitPage<Row>(rows: readonly Row[], size: number): { page: readonly Row[]; more: Row | undefined } {
  return { page: rows.slice(0, size), more: rows[size] };
}
