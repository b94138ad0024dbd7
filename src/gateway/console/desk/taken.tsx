type TakenProps = {
  /** The path of the form; null for work that no one takes. */
  path: string | null;
  by: string | null;
  /** The name of the person who can take it; undefined for one who only reads. */
  taker: string | undefined;
};

/** Who has a piece of work, or the button with which a person takes it. */
export function Taken({ path, by, taker }: TakenProps) {
  if (by !== null) return <>{by}</>;
  if (path === null || taker === undefined) return null;
  return (
    <form method="post" action={path}>
      <input type="hidden" name="to" value={taker} />
      <button type="submit">Take it</button>
    </form>
  );
}
