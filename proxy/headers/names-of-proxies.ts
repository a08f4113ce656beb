// Headers in which proxies report facts about the client and its request. If a core trusted these from a client, the
// client could forge its address, reach a path other than the routed one, choose the host in links, or pose as a
// signed-in user. Signed reports (`x-goog-iap-jwt-assertion`, `cf-access-jwt-assertion`, `x-amzn-oidc-data`) are not
// listed, because a core verifies them.

const addresses = [
  'true-client-ip',
  'x-true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'fastly-client-ip',
  'fly-client-ip',
  'do-connecting-ip',
  'incap-client-ip',
  'cloudfront-viewer-address',
  'x-sucuri-clientip',
  'x-nf-client-connection-ip',
  'x-vercel-forwarded-for',
  'client-ip',
  'x-client-ip',
  'x-clientip',
  'x-cluster-client-ip',
  'x-proxyuser-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'x-real-ip',
  'x-real-port',
  'x-originating-ip',
  'remote-addr',
  'forwarded-for',
  'x-original-forwarded-for',
  'x-original-remote-addr',
]

const targets = [
  'x-original-url',
  'x-original-uri',
  'x-original-host',
  'x-original-path',
  'x-original-method',
  'x-original-proto',
  'x-rewrite-url',
  'x-override-url',
  'x-script-name',
  'x-host',
  'x-http-host-override',
  'x-scheme',
  'x-url-scheme',
  'front-end-https',
  'cloudfront-forwarded-proto',
]

const identities = [
  'remote-user',
  'remote-groups',
  'remote-email',
  'remote-name',
  'x-credential-identifier',
  'x-amzn-oidc-identity',
  'x-amzn-oidc-accesstoken',
  'cf-access-authenticated-user-email',
  'tailscale-user-login',
  'tailscale-user-name',
]

const certificates = [
  'client-cert',
  'client-cert-chain',
  'ssl-client-verify',
  'ssl-client-cert',
  'ssl-client-subject-dn',
  'ssl-client-issuer-dn',
  'x-client-cert',
  'x-client-verify',
  'x-client-dn',
  'x-arr-clientcert',
]

/**
 * In lower case. CGI programs use `Proxy` as the proxy for their own requests. `X-Sendfile-Type` and `X-Accel-Mapping`
 * choose a file to send.
 */
export const namesOfProxies: readonly string[] = [
  'proxy',
  'x-sendfile-type',
  'x-accel-mapping',
  ...addresses,
  ...targets,
  ...identities,
  ...certificates,
]

export const prefixesOfProxies: readonly string[] = [
  'x-forward',
  'x-envoy-',
  'x-azure-',
  'x-appengine-',
  'x-remote-',
  'x-auth-request-',
  'x-authenticated-',
  'x-authentik-',
  'x-webauth-',
  'x-consumer-',
  'x-goog-authenticated-user-',
  'x-ms-client-principal',
  'x-ssl-client-',
  'x-amzn-mtls-',
]
