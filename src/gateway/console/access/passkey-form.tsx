import type { Child } from 'hono/jsx';

type PasskeyFormProps = {
  action: string;
  /** What the browser needs to create or use a passkey (WebAuthn, as JSON). */
  options: object;
  button: string;
  /** What to do when the browser has used no passkey. */
  otherwise: string;
  /** More fields. */
  children?: Child;
};

/** A form that the script shows, and completes with the answer of a passkey: without JavaScript there are none. */
export function PasskeyForm({ action, options, button, otherwise, children }: PasskeyFormProps) {
  return (
    <form method="post" action={action} data-passkey={JSON.stringify(options)} hidden>
      {children}
      <input type="hidden" name="credential" />
      <button type="submit">{button}</button>
      <p role="alert" hidden>
        {otherwise}
      </p>
    </form>
  );
}
