import { type Attributes, ProxyTracerProvider, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { version } from './version.ts';

/** Does nothing until an operator starts the program with an SDK of OpenTelemetry: docs/operations/tracing.md. */
const tracer = trace.getTracer('dialtill', version);

/** The provider of a program without an SDK. */
const noProvider = new ProxyTracerProvider().getDelegate();

/** Returns whether an SDK is registered. Without one, a span costs more than much of the work. */
function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noProvider;
}

/** The attributes of a span: ids, names of the configuration, route templates and counts. Never a phone number, key or text. */
export type SpanAttributes = Attributes;

type SpanOptions = { attributes?: SpanAttributes; kind?: 'internal' | 'client' | 'server' };

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER } as const;

/** Runs `work` in a span, the parent of those that it starts. An error leaves its class only: a message can have personal data. */
export function traced<Result>(
  name: string,
  { attributes = {}, kind = 'internal' }: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isTracing()) return work();
  return tracer.startActiveSpan(name, { attributes, kind: kinds[kind] }, async (span) => {
    try {
      return await work();
    } catch (fault) {
      span.setAttribute('error.type', fault instanceof Error ? fault.name : typeof fault);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw fault;
    } finally {
      span.end();
    }
  });
}

/** Adds attributes to the span of the work that runs now, if there is one. */
export function annotate(attributes: SpanAttributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}
