import { Empty } from './parts/card.tsx';

type NothingProps = { searched: readonly string[]; isOfAll: boolean; isSearch: boolean };

/** What a list without a payment has searched, and the next step. */
export function NoPayments({ searched, isOfAll, isSearch }: NothingProps) {
  return (
    <Empty icon="search" title="No payment found.">
      {searched.length > 0 && (
        <>
          <p>Searched for</p>
          <ul>
            {searched.map((text) => (
              <li>{text}</li>
            ))}
          </ul>
        </>
      )}
      <p>
        {isSearch
          ? 'Ask for the whole number, the reference, or the amount and the day.'
          : searched.length > 0
            ? 'Remove a filter, or choose more days.'
            : 'A payment appears here when a payer has confirmed it.'}
        {isOfAll && (
          <>
            {' '}
            Who dialled and paid nothing is under <a href="/console/dialogues">Dialogues</a>.
          </>
        )}
      </p>
    </Empty>
  );
}
