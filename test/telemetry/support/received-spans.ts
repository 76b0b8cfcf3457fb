import type { Receiver } from '../../support/receiver.ts';

export type ReceivedSpan = {
  name: string;
  traceId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  status: { code?: number; message?: string };
};

type Value = { stringValue?: string; intValue?: number };
type Sent = {
  resourceSpans: {
    resource: { attributes: { key: string; value: Value }[] };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: { key: string; value: Value }[] })[] }[];
  }[];
};

/** Returns the spans of all requests that an OTLP receiver got as JSON. */
export function receivedSpans({ received }: Receiver): ReceivedSpan[] {
  return received
    .flatMap(({ body }) => (JSON.parse(body.toString()) as Sent).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(
        span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
      ),
    }));
}

/** Returns the service name of one request. */
export function serviceName({ resourceSpans }: Sent): string | undefined {
  const [first] = resourceSpans;
  return first?.resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue;
}
