import type { Aggregator } from '../aggregators/aggregator.ts';
import type { Reading } from '../aggregators/dialect.ts';
import { fitScreen } from '../shared/screen-text.ts';
import { bodyDifferences, type Difference, differences } from './differences.ts';
import { bodyText, type Fixture } from './fixture.ts';

/** The time of the reply in all fixtures. */
const repliedAt = Date.parse('2026-03-06T09:00:00.000Z');

/** Reads the fixture's request and writes its reply through the aggregator's dialect, and returns every difference. */
export function replayFixture(fixture: Fixture, aggregator: Aggregator): Difference[] {
  const { serviceCode, request, reply, answer, lineBreak = aggregator.style.lineBreak } = fixture;
  const settings = aggregator.settings.parse(fixture.settings ?? {});
  const dialect = aggregator.createDialect({ serviceCode, operators: new Map(), settings });
  const { query, path } = request;
  const reading = dialect.decode({ body: bodyText(request.body), query, path });
  const text = fitScreen(reply.text, { ...aggregator.style, lineBreak });
  const written = dialect.encode({ ...reply, text }, reading, repliedAt);
  return [
    ...differences('reading', fixture.reading, withoutFields(reading)),
    ...differences('answer.contentType', answer.contentType, written.contentType),
    ...bodyDifferences('answer.body', bodyText(answer.body), written.body),
  ];
}

/** Returns a reading in the form of the fixtures, without the fields of the request. */
function withoutFields(reading: Reading): Record<string, unknown> {
  switch (reading.kind) {
    case 'request':
      return { kind: reading.kind, ...reading.request };
    case 'notice':
      return { kind: reading.kind, session: reading.session, ending: reading.ending };
    case 'probe':
      return { kind: reading.kind, session: reading.session };
    case 'unreadable':
      return { kind: reading.kind };
  }
}
