/** One action on a connection. A list of them replaces a plain answer. */
export type Step =
  | { readonly do: 'write'; readonly bytes: string | Buffer }
  /** Writes one byte at a time. */
  | { readonly do: 'drip'; readonly bytes: Buffer; readonly everyMs: number }
  | { readonly do: 'wait'; readonly ms: number }
  /** Closes cleanly after everything that was written (FIN). */
  | { readonly do: 'finish' }
  /** Breaks the connection (RST). */
  | { readonly do: 'reset' }
  /** Writes nothing more and leaves the connection open. */
  | { readonly do: 'hang' };
