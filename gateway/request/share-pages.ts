const isOfSharePages = (path: string) => path.startsWith('/v1/public/') || path.startsWith('/v1/pack-links/')

const headers = { 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

/**
 * What stands on every answer of a share page, refusals included: its address is a secret, which no search engine
 * shall list and no link from it shall give away.
 */
export const sharePageHeaders = (path: string): Readonly<Record<string, string>> =>
  isOfSharePages(path) ? headers : {}

/** The origins that may read an answer: those of the deployment and, of share pages, that of the app. */
export const createAllowedOrigins = (everywhere: readonly string[], appOrigin: string | undefined) => {
  const usual: ReadonlySet<string> = new Set(everywhere)
  const ofSharePages: ReadonlySet<string> = new Set([...everywhere, ...(appOrigin ? [appOrigin] : [])])
  return (path: string) => (isOfSharePages(path) ? ofSharePages : usual)
}
