import type * as z from 'zod'
import { apiKey, httpUrl } from './setting-types.ts'

export const linkSettings = {
  LINKS_API_KEY: apiKey.optional(),
  LINKS_API_BASE: httpUrl.optional(),
}

type LinkVariables = z.infer<z.ZodObject<typeof linkSettings>>

/** The key is read on each use. */
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
