/** Headers that reverse proxies set and that change what a core does; a client could forge them. */
export const headersOfProxies = [
  'Proxy',
  'True-Client-IP',
  'CF-Connecting-IP',
  'X-Client-IP',
  'X-Real-IP',
  'X-Original-URL',
  'X-Original-URI',
  'X-Rewrite-URL',
  'X-Host',
]
