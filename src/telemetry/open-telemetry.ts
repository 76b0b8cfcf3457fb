import type { BullMQOtel } from 'bullmq-otel';

/** What a span says of its work: ids of ours, and the name of the account in the configuration. */
export type TracedWork = { fileId: string; batchNo?: number; account?: string };

export type Telemetry = {
  /** For BullMQ, whose spans then join the trace of the file that a job is about. */
  readonly queue: BullMQOtel | undefined;
  /** Does work as one span of the trace of its file. */
  trace<Result>(station: string, about: TracedWork, work: () => Promise<Result>): Promise<Result>;
  /** Adds to the span of the work that runs what was not known at its beginning. */
  note(about: Partial<TracedWork>): void;
  /** Sends what waits, for a short while at most. */
  close(): Promise<void>;
};

/**
 * Opens the traces, when they are wanted: the packages take half a second to load, which nobody else shall wait for.
 * @param url where spans are sent by OTLP over HTTP; undefined for no spans at all
 */
export async function openTelemetry(url: string | undefined): Promise<Telemetry> {
  if (url === undefined) return OFF;
  const { sendSpans } = await import('./send-spans.ts');
  return sendSpans(url);
}

const OFF: Telemetry = {
  queue: undefined,
  trace: (_station, _about, work) => work(),
  note: () => {},
  close: async () => {},
};
