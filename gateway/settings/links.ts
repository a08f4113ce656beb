import { apiKey, httpUrl } from './setting-types.ts'

/** The settings of the link provider. */
export const linkSettings = {
  LINKS_API_KEY: apiKey.optional(),
  LINKS_API_BASE: httpUrl.optional(),
}

interface LinkVariables {
  readonly LINKS_API_KEY?: string | undefined
  readonly LINKS_API_BASE?: string | undefined
}

/** Reads the options of the link provider; null if none is configured. The key is that of the moment. */
export const readLinkOptions = (settings: LinkVariables) => {
  const { LINKS_API_KEY, LINKS_API_BASE: apiBase } = settings
  if (LINKS_API_KEY === undefined) return null
  return {
    get apiKey() {
      return settings.LINKS_API_KEY ?? LINKS_API_KEY
    },
    apiBase,
  }
}
