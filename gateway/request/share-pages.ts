const isSharePage = (path: string) => path.startsWith('/v1/public/') || path.startsWith('/v1/pack-links/')

const headers = { 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

/**
 * The headers of every share page response, including errors. The URL of a share page is a secret: search engines must
 * not index it and browsers must not send it as a referrer.
 */
export const sharePageHeaders = (path: string): Readonly<Record<string, string>> =>
  isSharePage(path) ? headers : {}

/** Selects the origins that may read a response: `corsOrigins`, and for share pages also the app. */
export const createAllowedOrigins = (corsOrigins: readonly string[], appOrigin: string | undefined) => {
  const defaultOrigins: ReadonlySet<string> = new Set(corsOrigins)
  const sharePageOrigins: ReadonlySet<string> = new Set([...corsOrigins, ...(appOrigin ? [appOrigin] : [])])
  return (path: string) => (isSharePage(path) ? sharePageOrigins : defaultOrigins)
}
