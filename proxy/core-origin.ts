/**
 * Scheme and authority of the core, in lower case.
 * @throws TypeError where the address is no http(s) origin: a path in it could not be told from the one forwarded.
 */
export const parseCoreOrigin = (baseUrl: string): string => {
  const { protocol, origin, href } = new URL(baseUrl)
  const isOrigin = (protocol === 'http:' || protocol === 'https:') && href === `${origin}/`
  if (!isOrigin) throw new TypeError('the address of the core must be an http or https origin without a path')
  return origin
}
