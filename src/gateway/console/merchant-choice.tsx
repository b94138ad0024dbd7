import type { Child } from 'hono/jsx';
import { Options } from './parts/forms.tsx';

/** Merchants of one choice. With more, the name is typed. */
const maxListed = 200;

type MerchantChoiceProps = {
  path: string;
  ids: readonly string[];
  chosen: string | undefined;
  children?: Child;
};

/** The choice of a merchant above figures. The other fields of the form are its children. */
export function MerchantChoice({ path, ids, chosen, children }: MerchantChoiceProps) {
  return (
    <form class="line filters" method="get" action={path}>
      {children}
      {ids.length > 0 && <MerchantSelect ids={ids} chosen={chosen} />}
      <button type="submit">Show</button>
    </form>
  );
}

function MerchantSelect({ ids, chosen }: Pick<MerchantChoiceProps, 'ids' | 'chosen'>) {
  return (
    <>
      <label class="unseen" for="merchant">
        Merchant
      </label>
      {ids.length > maxListed ? (
        <input id="merchant" name="merchant" value={chosen} placeholder="All merchants" maxlength={64} />
      ) : (
        <select id="merchant" name="merchant">
          <Options
            choices={[['', 'All merchants'], ...ids.map((id) => [id, id] as const)]}
            value={chosen ?? ''}
          />
        </select>
      )}
    </>
  );
}
