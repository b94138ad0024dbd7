import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { RequestIdVariables } from 'hono/request-id';
import type { Person } from '../access/actor.ts';
import type { StaffFailureCode } from '../staff/operation.ts';
import type { consoleRoutes, RouteName } from './roles.ts';

export type ConsoleEnv = {
  Bindings: Partial<HttpBindings>;
  Variables: RequestIdVariables & { person?: Person };
};

/** The fields of a form; the last value of a field that occurs several times. */
export type Fields = Readonly<Record<string, string>>;

/** What a page shows inside the frame that all pages share. */
export type PageContent = {
  title: string;
  /** The heading, when it is more than the title. */
  heading?: Child;
  body: Child;
  status?: 200 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 503;
};

/** One request of a route. */
export type ConsoleCall<Who> = {
  c: Context<ConsoleEnv>;
  /** The person who is signed in, with a role that may use the route. */
  person: Who;
  /** The fields of a POST; empty for a GET. */
  fields: Fields;
  /** Answers with a page. */
  show(content: PageContent): Response | Promise<Response>;
};

type Handler<Who> = (call: ConsoleCall<Who>) => Response | Promise<Response>;

/** A route with its handler. Its audience is in `consoleRoutes`. */
export type ConsoleRoute = { name: RouteName; handler: Handler<Person | undefined> };

type PersonOf<Name extends RouteName> = (typeof consoleRoutes)[Name] extends 'everyone'
  ? Person | undefined
  : Person;

/** Creates a route of the table in `roles.ts`. The handler runs only for its audience, with the person. */
export function defineRoute<Name extends RouteName>(
  name: Name,
  handler: Handler<PersonOf<Name>>,
): ConsoleRoute {
  return {
    name,
    // The check of the audience comes before every handler.
    handler: (call) => handler(call as ConsoleCall<PersonOf<Name>>),
  };
}

/** Returns the status of a page that says why an operation changed nothing. */
export function statusOf({ code }: { code: StaffFailureCode }): NonNullable<PageContent['status']> {
  switch (code) {
    case 'not_found':
      return 404;
    case 'too_early':
    case 'too_many_actions':
      return 429;
    case 'forbidden':
    case 'confirmation_required':
    case 'access_ended':
      return 403;
    case 'conflict':
      return 409;
    default:
      return 422;
  }
}
