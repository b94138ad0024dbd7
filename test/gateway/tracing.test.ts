import { context, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { traced } from '../../src/shared/tracing.ts';
import { createTill } from '../kit/till.ts';

const exporter = new InMemorySpanExporter();

// As an operator does: the SDK is registered once, before the program starts.
beforeAll(() => {
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  return async () => {
    await provider.shutdown();
    trace.disable();
    context.disable();
  };
});

beforeEach(() => exporter.reset());

const parentOf = (spans: readonly ReadableSpan[], { parentSpanContext }: ReadableSpan) =>
  spans.find((one) => one.spanContext().spanId === parentSpanContext?.spanId)?.name;

test('a payment is traced from its turns to its webhook, each span below the work that caused it', async () => {
  const till = await createTill();
  const { id, dialogueId } = await till.prompted('0244123456');
  await till.approved();
  const spans = exporter.getFinishedSpans();
  const parents = (name: string) =>
    new Set(spans.filter((span) => span.name === name).map((span) => parentOf(spans, span)));
  expect(parents('turn')).toEqual(new Set([undefined]));
  expect(parents('webhook')).toEqual(new Set([undefined]));
  expect(parents('call create').has('collection')).toBe(true);
  expect(parents('call initiate')).toEqual(new Set(['collection']));
  expect(parents('poll')).toEqual(new Set(['collection']));
  for (const cause of ['turn', 'collection', 'webhook', 'event']) expect(parents('apply')).toContain(cause);
  const attributes = spans.map((span) => span.attributes);
  expect(attributes).toContainEqual(expect.objectContaining({ 'dialtill.dialogue': dialogueId }));
  expect(attributes).toContainEqual(expect.objectContaining({ 'dialtill.collection': id }));
  expect(attributes).toContainEqual({
    'url.template': '/payments/sessions/:id/initiate',
    'dialtill.outcome': 'ok',
  });
  // Ids and names only: no number of the payer in any spelling, and no key.
  const text = JSON.stringify(
    spans.map(({ name, attributes: values, events, status }) => [name, values, events, status]),
  );
  expect(text).not.toMatch(/244123456|sk_test|Bearer/);
});

test('an error ends its span with its class, without its message', async () => {
  const failing = traced('lookup', {}, () => Promise.reject(new TypeError('0244123456 is unknown')));
  await expect(failing).rejects.toThrow('0244123456 is unknown');
  const [span] = exporter.getFinishedSpans();
  expect(span).toMatchObject({ attributes: { 'error.type': 'TypeError' }, status: { code: 2 }, events: [] });
  expect(JSON.stringify(span?.status)).not.toContain('0244123456');
});
