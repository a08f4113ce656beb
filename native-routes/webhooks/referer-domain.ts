// The last label must contain a letter, which excludes IP addresses.
const domain =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9-]{2,63}$/

/** Parses the domain of a referer given as a URL or a bare domain; null for anything else. */
export const parseRefererDomain = (referer: string | undefined): string | null => {
  if (referer === undefined) return null
  const address = /^[a-z][a-z0-9+.-]*:/i.test(referer) ? referer : `https://${referer}`
  const hostname = URL.parse(address)?.hostname.toLowerCase() ?? ''
  return domain.test(hostname) ? hostname : null
}
