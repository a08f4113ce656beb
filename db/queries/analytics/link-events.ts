import { eq } from 'drizzle-orm'
import type { NewRow, Queryable, Reader } from '../../client/connection.ts'
import { packLinks, packs } from '../../schema/packs.ts'
import { trackShareLinks } from '../../schema/share-links.ts'
import { tracks } from '../../schema/tracks.ts'
import { linkEvents } from '../../schema/webhooks.ts'

/**
 * A track or pack link, with its target and the target's owner. The queries do not check access, and they also return
 * expired and revoked links, because those can still be clicked.
 */
interface LinkTarget {
  readonly ownerId: string
  readonly linkKind: 'track' | 'pack'
  readonly linkId: string
  readonly trackId: string | null
  readonly packId: string | null
}

export const findTrackLinkTarget = async (db: Reader, linkId: string): Promise<LinkTarget | null> => {
  const [link] = await db
    .select({ ownerId: tracks.ownerId, trackId: tracks.id })
    .from(trackShareLinks)
    .innerJoin(tracks, eq(tracks.id, trackShareLinks.trackId))
    .where(eq(trackShareLinks.id, linkId))
  return link ? { ...link, linkKind: 'track', linkId, packId: null } : null
}

export const findPackLinkTarget = async (db: Reader, linkId: string): Promise<LinkTarget | null> => {
  const [link] = await db
    .select({ ownerId: packs.ownerId, packId: packs.id })
    .from(packLinks)
    .innerJoin(packs, eq(packs.id, packLinks.packId))
    .where(eq(packLinks.id, linkId))
  return link ? { ...link, linkKind: 'pack', linkId, trackId: null } : null
}

export const insertLinkEvent = async (tx: Queryable, event: NewRow<typeof linkEvents>) => {
  const inserted = await tx
    .insert(linkEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ id: linkEvents.providerEventId })
  return inserted.length > 0
}
