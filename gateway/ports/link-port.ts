import type { LinkPort } from '#native-routes/link-tracking.ts'
import { createDubLinks } from '../adapters/link-tracking-dub/link-tracking-dub.ts'
import type { Settings } from '../settings/settings.ts'

type LinkSettings = Pick<Settings, 'LINKS_API_KEY' | 'LINKS_API_BASE'>

/** Creates the link port from the settings; `appOrigin` is the origin of the URLs behind share links. */
export const createLinkPort = (settings: LinkSettings, appOrigin: () => string): LinkPort => {
  const { LINKS_API_KEY: apiKey, LINKS_API_BASE: apiBase } = settings
  return {
    tracking: apiKey === undefined ? null : createDubLinks({ apiKey, apiBase, appOrigin }),
  }
}
