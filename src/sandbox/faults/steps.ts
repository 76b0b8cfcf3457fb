/** What happens on a connection instead of a plain answer, one after the other. */
export type Step =
  | { readonly do: 'write'; readonly bytes: string | Buffer }
  /** One byte at a time. */
  | { readonly do: 'drip'; readonly bytes: Buffer; readonly everyMs: number }
  | { readonly do: 'wait'; readonly ms: number }
  /** Closes in order, after all that was written (FIN). */
  | { readonly do: 'finish' }
  /** Breaks the connection (RST). */
  | { readonly do: 'reset' }
  /** Says nothing more and leaves the connection open. */
  | { readonly do: 'hang' };
