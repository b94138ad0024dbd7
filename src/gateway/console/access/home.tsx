import { type ConsoleRoute, defineRoute } from '../define-route.ts';

/** Returns the route of the first page after signing in. */
export function homeRoutes(): ConsoleRoute[] {
  return [
    defineRoute('GET /', ({ person, show }) =>
      show({
        title: 'Home',
        body: (
          <p>
            You are signed in as {person.name}, with the role {person.role}
            {person.merchantId === null ? '' : ` of ${person.merchantId}`}.
          </p>
        ),
      }),
    ),
  ];
}
