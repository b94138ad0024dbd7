import type { Child } from 'hono/jsx';
import type { PageContent } from '../define-route.ts';
import { type ButtonKind, ButtonLink, PostButton } from './forms.tsx';

type Confirmation = {
  title: string;
  /** The change, and what it ends. */
  facts: Child;
  /** The address of the form, which is that of this page. */
  action: string;
  /** A verb with its object. */
  button: string;
  kind?: ButtonKind;
  /** The page to which *Go back* leads. */
  back: string;
};

/** Returns the page that asks before something is taken away: the facts, a verb, and the way back. */
export function confirmationPage({
  title,
  facts,
  action,
  button,
  kind = 'danger',
  back,
}: Confirmation): PageContent {
  const body = (
    <section class="card narrow" aria-label={title}>
      {facts}
      <div class="line actions">
        <PostButton action={action} text={button} kind={kind} />
        <ButtonLink href={back}>Go back</ButtonLink>
      </div>
    </section>
  );
  return { title, body };
}

/** The link to the page that asks before something is taken away. */
export function AskButton({ path, text, label }: { path: string; text: string; label?: string }) {
  return (
    <a class="button quiet" href={path} aria-label={label}>
      {text}
    </a>
  );
}
