/** What a key may do. The interface names the first; the others are ours. */
export const scopes = ['collections:offline', 'collections:web', 'sessions:read', 'events:read'] as const;
export type Scope = (typeof scopes)[number];

/** The scope without which a key creates no offline session. */
export const offlineScope: Scope = 'collections:offline';

/** The scope without which a key neither creates nor initiates a session of that mode. */
export const modeScopes = { offline: offlineScope, web: 'collections:web' } as const;
