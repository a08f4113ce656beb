// A name with a letter in its last label: an address of a machine is no domain.
const domain =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9-]{2,63}$/

/** The domain of the page that a visitor came from, of its address or alone; null where it names none. */
export const parseRefererDomain = (referer: string | undefined): string | null => {
  if (referer === undefined) return null
  const address = /^[a-z][a-z0-9+.-]*:/i.test(referer) ? referer : `https://${referer}`
  const hostname = URL.parse(address)?.hostname.toLowerCase() ?? ''
  return domain.test(hostname) ? hostname : null
}
