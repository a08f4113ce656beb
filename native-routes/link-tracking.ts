import type { DaySpan } from '#db/queries/analytics/engagement-reports.ts'
import type { ClickCount } from '#db/queries/analytics/link-clicks.ts'
import type { Ports } from './ports.ts'

export type LinkRef = `${'track' | 'pack'}_link:${string}`

interface TrackedLink {
  readonly ref: LinkRef
  readonly ownerId: string
  /** The link's path within the app. Contains the token. */
  readonly path: string
}

/** The provider that counts clicks on share links. Every method throws on failure, or after two seconds. */
export interface LinkTracking {
  create(link: TrackedLink): Promise<void>
  /**
   * Replaces a short link's target and key in one step, so the old key never leads to the new target. Creates the short
   * link if there is none.
   */
  reset(link: TrackedLink): Promise<void>
  /**
   * Counts clicks on an account's links by day, link and country. If `links` is null, counts the clicks on all of the
   * account's links, by day only. Returns null if the provider knows none of the links.
   */
  countClicks(
    ownerId: string,
    links: readonly LinkRef[] | null,
    span: DaySpan,
  ): Promise<readonly ClickCount[] | null>
}

export interface LinkPort {
  /** If null, reports count the clicks that arrived by webhook. */
  readonly tracking: LinkTracking | null
}

/**
 * Creates or resets a share link's short link, if a provider is configured. Failures are logged and ignored. Commit the
 * token first: until the reset succeeds, the short link leads to the previous token, which opens nothing.
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
