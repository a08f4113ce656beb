import type { DaySpan } from '#db/queries/engagement-reports.ts'
import type { ClickCount } from '#db/queries/link-clicks.ts'
import type { Ports } from './ports.ts'

/** How the link provider names a share link of ours. */
export type LinkRef = `${'track' | 'pack'}_link:${string}`

/** A share link whose clicks are to be counted. */
interface TrackedLink {
  readonly ref: LinkRef
  readonly ownerId: string
  /** Where it leads to within the app; it holds the link's token. */
  readonly path: string
}

/** The provider that counts clicks on share links. It has two seconds for anything, and throws when it fails. */
export interface LinkTracking {
  /** Makes a short link that leads to this share link. */
  create(link: TrackedLink): Promise<void>
  /** Has the short link of this share link lead to its new address; made where there is none. */
  redirect(link: TrackedLink): Promise<void>
  /**
   * The clicks on these links of an account, each counted by its day, its link and its country; with null in place of
   * the links, on all of them, by the day alone. Null where the provider knows none of these links.
   */
  countClicks(
    ownerId: string,
    links: readonly LinkRef[] | null,
    span: DaySpan,
  ): Promise<readonly ClickCount[] | null>
}

export interface LinkPort {
  /** Signs what the provider sends; null where none is set. */
  readonly webhookSecret: string | null
  /** Null where no provider is configured: then what its webhook told is counted. */
  readonly tracking: LinkTracking | null
}

/** Tells the link provider of a share link, where there is one. The link is good without that. */
export const syncShortLink = async (
  verb: 'create' | 'redirect',
  link: TrackedLink,
  { links: { tracking }, log }: Pick<Ports, 'links' | 'log'>,
) => {
  if (!tracking) return
  try {
    await tracking[verb](link)
  } catch {
    log.warn({ link: link.ref }, 'the link provider could not be told of a share link')
  }
}
