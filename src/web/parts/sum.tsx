import { Count, Money } from './words.tsx';

/** Shows rows and their money in a sentence: `1,200 rows, 30,000.00 USD`. */
export function Sum({
  of: { rows, cents },
  currency,
}: {
  of: { readonly rows: number; readonly cents: number };
  currency: string | undefined;
}) {
  return (
    <>
      <Count of={rows} noun="row" />, <Money cents={cents} currency={currency} />
    </>
  );
}
