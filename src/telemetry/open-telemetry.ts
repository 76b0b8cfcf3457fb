/** What a span says of its work: our ids, and the account's name in the configuration. */
export type TracedWork = { fileId: string; batchNo?: number; account?: string };

export type Telemetry = {
  /** Runs work as one span in the trace of its file. */
  trace<Result>(stage: string, about: TracedWork, work: () => Promise<Result>): Promise<Result>;
  /** Adds to the current span what was unknown when it started. */
  note(about: Partial<TracedWork>): void;
  /** Sends the waiting spans, for a short while at most. */
  close(): Promise<void>;
};

/**
 * Opens the traces if they are wanted. Otherwise the packages, which take half a second to load, are not loaded.
 * @param url where spans are sent by OTLP over HTTP; undefined for no spans at all
 * @param share of the files that are traced, 0 to 1
 */
export async function openTelemetry(url: string | undefined, share = 1): Promise<Telemetry> {
  if (url === undefined) return OFF;
  const { sendSpans } = await import('./send-spans.ts');
  return sendSpans(url, share);
}

const OFF: Telemetry = {
  trace: (_station, _about, work) => work(),
  note: () => {},
  close: async () => {},
};
