/** The content security policy of pages: files of the same origin only, no text that becomes a script. */
export const pagePolicy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'connect-src', 'form-action'].map((name) => `${name} 'self'`),
  "img-src 'self' data:",
  ...[
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ],
].join('; ');
