/**
 * Scheme and authority of the core, in lower case.
 * @throws TypeError if the URL is not an http(s) origin: a path in it would be ambiguous with the forwarded path.
 */
export const parseCoreOrigin = (baseUrl: string): string => {
  const { protocol, origin, href } = new URL(baseUrl)
  const isOrigin = (protocol === 'http:' || protocol === 'https:') && href === `${origin}/`
  if (!isOrigin) throw new TypeError('the URL of the core must be an http or https origin without a path')
  return origin
}
