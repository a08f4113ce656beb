import type { DaySpan } from '#db/queries/analytics/engagement-reports.ts'
import type { ClickCount } from '#db/queries/analytics/link-clicks.ts'
import type { Ports } from './ports.ts'

/** The external id of a share link at the link provider. */
export type LinkRef = `${'track' | 'pack'}_link:${string}`

/** A share link whose clicks the provider counts. */
interface TrackedLink {
  readonly ref: LinkRef
  readonly ownerId: string
  /** The path of the link within the app; contains the link's token. */
  readonly path: string
}

/** The provider that counts clicks on share links. Each method throws after a failure or a timeout of two seconds. */
export interface LinkTracking {
  /** Creates a short link to this share link, with a random key. */
  create(link: TrackedLink): Promise<void>
  /**
   * Replaces the target and the key of the short link of this share link together: the previous key never leads to the
   * new target. Creates the short link if there is none.
   */
  reset(link: TrackedLink): Promise<void>
  /**
   * Counts the clicks on these links of an account by day, by link and by country. With null instead of the links, it
   * counts the clicks on all of the account's links, by day only. Returns null if the provider has none of these links.
   */
  countClicks(
    ownerId: string,
    links: readonly LinkRef[] | null,
    span: DaySpan,
  ): Promise<readonly ClickCount[] | null>
}

export interface LinkPort {
  /** Null if no provider is configured: then the events of its webhook are counted. */
  readonly tracking: LinkTracking | null
}

/**
 * Creates or resets the short link of a share link, if a provider is configured. A failure is logged and ignored. The
 * token of the share link must already be committed: until a reset reaches the provider, the short link then leads to
 * the previous token, which opens nothing.
 */
export const syncShortLink = async (
  verb: 'create' | 'reset',
  link: TrackedLink,
  { links: { tracking }, log }: Pick<Ports, 'links' | 'log'>,
) => {
  if (!tracking) return
  try {
    await tracking[verb](link)
  } catch {
    log.warn({ link: link.ref }, 'failed to sync short link')
  }
}
