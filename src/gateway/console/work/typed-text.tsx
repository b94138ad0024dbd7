import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { Fields } from '../define-route.ts';

/** What a person typed into a form that was refused. Phone numbers in it are masked, as on every page. */
export type Typed = Fields | undefined;

/** Returns the text of a field that a person typed before; empty without one. */
export function typedText(typed: Typed, name: string): string {
  return maskNumbers(typed?.[name] ?? '');
}

const texts = ['text', 'evidence', 'reason', 'reference'] as const;

/** Shows texts whose form is not on the page any more, so that they are not lost. Nothing without one. */
export function TypedTexts({ typed }: { typed: Typed }) {
  const left = texts.map((name) => typedText(typed, name)).filter((text) => text.trim() !== '');
  if (left.length === 0) return null;
  return (
    <section aria-labelledby="typed">
      <h2 id="typed">What you typed</h2>
      {left.map((text) => (
        <blockquote>{text}</blockquote>
      ))}
    </section>
  );
}
