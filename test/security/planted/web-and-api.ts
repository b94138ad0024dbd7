import { type Mutation, removed } from './mutation.ts';

/** Pages and the API: ASVS 3 and 4. */
export const webAndApi: readonly Mutation[] = [
  ...removed('ASVS 3.4.1', 'test/security/answers.test.ts', {
    'browsers may load anything': "defaultSrc: [[-\"'none'\"-]{+'*'+}],",
    'responses may be cached': [
      'src/shared/http/headers.ts',
      "[-if (!headers.has('cache-control'))-]{+void+} headers[-.set('cache-control', 'no-store')-];",
    ],
  }),
  ...removed('ASVS 3.4.2', 'test/security/answers.test.ts', {
    'other origins may read responses': [
      'src/shared/http/headers.ts',
      "    const { headers } = c.res;{+\n    headers.set('access-control-allow-origin', '*');+}",
    ],
  }),
  ...removed('ASVS 3.5.1', 'test/security/admin-attack.test.ts', {
    'bodies of any type are read':
      "  [-if (!/^application\\/json\\s*(;|$)/i.test(type)) return apiError('unsupported_media_type')-]{+void type+};",
  }),
  ...removed('ASVS 3.5.3', ['test/security/admin-attack.test.ts', 'test/gateway/dialogue/route.test.ts'], {
    'HEAD enters an input': "[-      if (c.req.method === 'HEAD') return unreadResponse(deps, c);\n-]",
  }),
  ...removed('ASVS 4.1.1', 'test/security/answers.test.ts', {
    'screens have no content type': "headers: { 'content-type': contentType{+ && 'text/html'+},",
  }),
  ...removed('ASVS 4.1.3', ['test/gateway/dialogue/channel.test.ts', 'test/gateway/metrics/route.test.ts'], {
    'every x-forwarded-for header is believed':
      'if (peer === undefined[- || !trusted.has(peer)-]) return peer;',
  }),
  ...removed('ASVS 4.1.4', ['test/security/answers.test.ts', 'test/service/openapi.test.ts'], {
    'other methods reach the channels': "['GET', 'POST', 'PUT'{+, 'DELETE', 'PATCH'+}],",
  }),
  ...removed('ASVS 4.1.5', ['test/gateway/inbox/signature.test.ts', 'test/gateway/inbox/route.test.ts'], {
    'any signature is valid': "if (match < 0) [-return { kind: 'forged' }-]{+match = 0+};",
    'old signatures are current':
      'const fresh = [-Math.abs(receivedAt - signedAt) <= settings.toleranceMs-]{+receivedAt >= 0 || signedAt >= 0+};',
  }),
  ...removed('ASVS 4.2.1', ['test/security/answers.test.ts', 'test/service/fuzz.process.long.test.ts'], {
    'the tolerant HTTP parser': 'createServer({ ...limits, {+insecureHTTPParser: true, +}',
  }),
  ...removed('ASVS 4.2.1', 'test/security/answers.test.ts', {
    'a request whose URL a route cannot read': 'if (!hasValidUrl(incoming){+ && !incoming+}) outgoing',
  }),
  ...removed('ASVS 3.5.1', 'test/gateway/console/sign-in.test.ts', {
    'accounts: forms of other sites are accepted': [
      'src/gateway/console/browser.ts',
      "return site [-=-]{+!+}== '[-same-origin-]';",
    ],
  }),
  ...removed('ASVS 3.3.1', 'test/gateway/console/sign-in.test.ts', {
    'accounts: scripts can read the cookie': [
      'src/gateway/console/browser.ts',
      'httpOnly: [-true-]{+false+},',
    ],
  }),
];
