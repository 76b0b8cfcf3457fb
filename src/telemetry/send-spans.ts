import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { PipelineError } from '../kernel/errors.ts';
import type { Telemetry, TracedWork } from './open-telemetry.ts';
import { sha256Of } from '../kernel/hash.ts';

/** Longest wait for the receiver of the spans, in ms; also at the end of the process. */
const SEND_MS = 3_000;

/** Sends spans by OTLP over HTTP. OpenTelemetry keeps process-wide state, so only one may be open at a time. */
export function sendSpans(url: string, share = 1): Telemetry {
  const exporter = new OTLPTraceExporter({ url: tracesUrl(url), timeoutMillis: SEND_MS });
  const processor = new BatchSpanProcessor(exporter, { exportTimeoutMillis: SEND_MS });
  const provider = new BasicTracerProvider({
    resource: describeProcess(),
    spanProcessors: [processor],
    sampler: sampleFiles(share),
  });
  register(provider);
  const tracer = provider.getTracer('paydrop');
  return {
    trace: (stage, about, work) =>
      tracer.startActiveSpan(stage, { attributes: attributesOf(about) }, contextOf(about.fileId), async (span) => {
        try {
          return await work();
        } catch (error) {
          // Only the code is recorded, because foreign messages may hold data.
          const message = error instanceof PipelineError ? error.code : 'INTERNAL';
          span.setStatus({ code: SpanStatusCode.ERROR, message });
          throw error;
        } finally {
          span.end();
        }
      }),
    note: (about) => {
      trace.getActiveSpan()?.setAttributes(attributesOf(about));
    },
    close: async () => {
      // A receiver that is away must not keep the process.
      await provider.shutdown().catch(() => {});
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

/**
 * Makes spans follow asynchronous work, as the usual package for Node does. That one has only CommonJS, which
 * would come into the build whole.
 */
function register(provider: BasicTracerProvider): void {
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
}

/**
 * Chooses whole files: the id of a trace decides, the same in every process. Spans of no file are left out, so an idle
 * process sends nothing.
 */
function sampleFiles(share: number): ParentBasedSampler {
  return new ParentBasedSampler({
    root: new AlwaysOffSampler(),
    remoteParentSampled: new TraceIdRatioBasedSampler(share),
  });
}

/** Returns the name that the receiver shows. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence. */
function describeProcess(): Resource {
  const ours = resourceFromAttributes({ 'service.name': 'paydrop' });
  return defaultResource()
    .merge(ours)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Returns the current span's context if it belongs to the same file, otherwise the root of the file's trace. */
function contextOf(fileId: string): Context {
  const ids = traceIdsOf(fileId);
  if (trace.getActiveSpan()?.spanContext().traceId === ids.traceId) return context.active();
  return trace.setSpanContext(ROOT_CONTEXT, { ...ids, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}

function attributesOf({ fileId, batchNo, account }: Partial<TracedWork>): Record<string, string | number> {
  return {
    ...(fileId !== undefined && { 'paydrop.file_id': fileId }),
    ...(batchNo !== undefined && { 'paydrop.batch_no': batchNo }),
    ...(account !== undefined && { 'paydrop.account': account }),
  };
}

/** Adds the usual path to an address without one, as other OpenTelemetry programs do. */
function tracesUrl(text: string): string {
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}

/**
 * Derives the ids of a file's trace from its id alone. Every process adds its work on a file to the same trace, days
 * apart and after a crash, and nothing has to be stored.
 */
export function traceIdsOf(fileId: string): { traceId: string; spanId: string } {
  const hex = sha256Of(Buffer.from(`trace of ${fileId}`));
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32, 48) };
}
