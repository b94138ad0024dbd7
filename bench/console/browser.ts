import { consolePeople } from '../collection/tills.ts';

/** A browser of a person at the console. */
export type Person = {
  cookie: string;
  /** Opens a path below `/console`, or types a text into the search box. Follows the redirect, and reads the whole answer. */
  open(asked: { path: string } | { q: string }): Promise<string>;
};

export type Role = (typeof consolePeople)[number]['role'];

const unused = Map.groupBy(consolePeople, ({ role }) => role);

/** Signs in as a person who was not used before: the requests of one are limited. */
export async function signIn(url: string, role: Role = 'lead'): Promise<Person> {
  const person = unused.get(role)?.shift();
  if (!person) throw new Error(`the console has too few people with the role ${role}`);
  const send = (path: string, fields: Record<string, string>, cookie = '') =>
    fetch(`${url}/console${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin', cookie },
      body: new URLSearchParams(fields),
    });
  const signedIn = await send('/sign-in', { open: person.name });
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  async function read(answer: Response): Promise<string> {
    const text = await answer.text();
    const location = answer.headers.get('location');
    if (location !== null) return read(await get(location));
    if (answer.status !== 200) throw new Error(`${answer.url}: ${answer.status} ${text.slice(0, 500)}`);
    return text;
  }
  const get = (path: string) => fetch(`${url}${path}`, { redirect: 'manual', headers: { cookie } });
  return {
    cookie,
    async open(asked) {
      return read(
        'q' in asked ? await send('/search', { q: asked.q }, cookie) : await get(`/console${asked.path}`),
      );
    },
  };
}
