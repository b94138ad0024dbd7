import type { CollectionRow } from '../../collection/collection.ts';
import { maskedNumbers } from '../numbers.ts';
import { PaymentTable, paymentPath } from '../pages/payment-table.tsx';
import type { PaymentContext } from './context-query.ts';

type RelatedProps = { id: string } & Pick<PaymentContext, 'retries' | 'sameReference' | 'samePayer'>;

/** Payments that belong to a payment, linked by their ids: no address has a number. */
export function Related({ id, retries, sameReference, samePayer }: RelatedProps) {
  const isEmpty = retries.length + sameReference.length + samePayer.length === 0;
  return (
    <section id="related-payments" data-part aria-labelledby="related">
      <h2 id="related">Related payments</h2>
      {isEmpty && <p>None.</p>}
      <Group title="Attempts of the same payment" rows={retries} />
      <Group title="With the same reference" rows={sameReference} />
      <Group title="Of the same payer" rows={samePayer} />
      {!isEmpty && (
        <p>
          <a href={`${paymentPath(id)}/payer`}>All payments of this payer</a>
        </p>
      )}
    </section>
  );
}

function Group({ title, rows }: { title: string; rows: readonly CollectionRow[] }) {
  return rows.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <PaymentTable caption={title} rows={rows} numbers={maskedNumbers} />
    </>
  );
}
