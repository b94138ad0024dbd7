import { type DialogueHistory, stateOf } from './dialogue-query.ts';
import { requestOf, toldIn } from './lookup-answers.ts';
import type { Private } from './mask.ts';

/** What of a story belongs to its payers, or was taken from what they typed. */
export function privateOf({ collection, turns, opened }: DialogueHistory): Private {
  const states = turns.map(stateOf);
  const answers = states.map((state) => state.answers ?? {});
  const standings = states.flatMap(({ callerHistory: arrival, duplicate: twin }) =>
    [arrival?.payment ?? [], twin ?? []].flat(),
  );
  // Older turns have texts in the place of values.
  const older = answers.flatMap((one) => ('texts' in one ? Object.values(one.texts as object) : []));
  const taken = answers.map(({ values = {} }) => toldIn(Object.values(values)));
  const lookedUp = states.flatMap((state) =>
    (state.lookedUp ?? []).map(({ answer }) => toldIn(answer === 'not_found' ? [] : Object.values(answer))),
  );
  // What was asked for was taken, also where nothing was found.
  const asked = states
    .flatMap((state) => state.lookedUp ?? [])
    .flatMap(({ question }) => requestOf(question) ?? [])
    .flatMap(({ reference, values }) => [reference, ...Object.values(values)]);
  const looked = new Set(lookedUp.flatMap(({ counts }) => counts));
  const typed = new Set(turns.flatMap(({ input }) => (input ?? '').split('*')).map(Number));
  const counts = new Set(
    taken.flatMap((one) => one.counts).filter((one) => typed.has(one) || !looked.has(one)),
  );
  const paid = new Set<number>([
    ...answers.flatMap(({ amountMinor }) => amountMinor ?? []),
    ...opened.map(({ row }) => row.goodsMinor),
  ]);
  // The price of one, where so many of them were paid.
  const prices = lookedUp
    .flatMap(({ amounts }) => amounts)
    .filter((one) => [...counts].some((count) => paid.has(one * count)));
  return {
    numbers: set([
      ...[collection.dialler, collection.payer],
      ...turns.flatMap(({ dialler, payer }) => [dialler, payer]),
      ...answers.map(({ payer }) => payer),
      ...standings.flatMap(({ dialler, payer }) => [dialler, payer]),
    ]),
    texts: set([
      ...answers.map(({ reference }) => reference),
      ...[...older, ...asked].filter((one) => typeof one === 'string'),
      ...taken.flatMap(({ texts }) => texts),
    ]),
    amounts: new Set([...paid, ...prices]),
    counts,
  };
}

function set<T>(values: readonly (T | null | undefined)[]): Set<T> {
  return new Set(values.filter((value) => value !== undefined && value !== null));
}
