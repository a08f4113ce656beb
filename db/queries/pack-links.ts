import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { packLinks, packs } from '../schema/packs.ts'
import { isActiveLink } from './share-link-status.ts'

const packSharedBySlug = preparedRead((db) =>
  db
    .select({
      linkId: packLinks.id,
      packId: packLinks.packId,
      ownerId: packs.ownerId,
      slug: packLinks.slug,
      name: packLinks.name,
      expiresAt: packLinks.expiresAt,
      updatedAt: packLinks.updatedAt,
      disableDownloads: packLinks.disableDownloads,
      accessCodeHash: packLinks.accessCodeHash,
    })
    .from(packLinks)
    .innerJoin(packs, eq(packs.id, packLinks.packId))
    .where(and(eq(packLinks.slug, sql.placeholder('slug')), isActiveLink(packLinks)))
    .prepare('pack_shared_by_slug'),
)

/** The pack of an active link. It may require an access code. */
export const findPackSharedBySlug = async (db: Reader, slug: string) => {
  const [link] = await packSharedBySlug(db).execute({ slug })
  return link ?? null
}
