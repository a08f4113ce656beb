import { and, desc, eq, sql } from 'drizzle-orm'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { packLinks, packs } from '../../schema/packs.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { isActiveLink, selectLinkStatus } from '../share-link-status.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

// All columns except the access code's hash, which no response needs.
const ownerColumns = {
  id: packLinks.id,
  packId: packLinks.packId,
  slug: packLinks.slug,
  name: packLinks.name,
  status: selectLinkStatus(packLinks),
  requiresAccessCode: sql<boolean>`${packLinks.accessCodeHash} is not null`,
  disableDownloads: packLinks.disableDownloads,
  expiresAt: packLinks.expiresAt,
  createdAt: packLinks.createdAt,
}

export type OwnedPackLink = Awaited<ReturnType<typeof listLinksOfPack>>[number]

const range = newestFirst(packLinks.createdAt, packLinks.id)

const linksOfPack = preparedRead((db) =>
  db
    .select(ownerColumns)
    .from(packLinks)
    .where(and(eq(packLinks.packId, sql.placeholder('packId')), range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('links_of_pack'),
)

export const listLinksOfPack = (db: Reader, packId: string, page: PageRange) =>
  linksOfPack(db).execute({ packId, ...rangeValues(page) })

interface NewPackLink {
  readonly packId: string
  readonly slug: string
  readonly name?: string | undefined
  readonly accessCodeHash: string | null
  readonly disableDownloads: boolean
  readonly expiresAt?: string | undefined
}

export const insertPackLink = async <L extends NewPackLink>(
  tx: Queryable,
  link: EveryKeyOf<NewPackLink, L>,
) => {
  const given: NewPackLink = link
  return firstRow(
    await tx
      .insert(packLinks)
      .values({
        id: newId(),
        createdAt: statementTimestamp,
        updatedAt: statementTimestamp,
        name: null,
        expiresAt: null,
        revokedAt: null,
        ...given,
      })
      .onConflictDoNothing({ target: packLinks.slug })
      .returning(ownerColumns),
  )
}

/** Keeps the time of an earlier revocation. */
export const revokeLinkOfPack = async (tx: Queryable, packId: string, linkId: string) => {
  const [link] = await tx
    .select({ revokedAt: packLinks.revokedAt })
    .from(packLinks)
    .where(and(eq(packLinks.id, linkId), eq(packLinks.packId, packId)))
    .for('update')
  if (link?.revokedAt === null)
    await tx
      .update(packLinks)
      .set({ revokedAt: statementTimestamp, updatedAt: statementTimestamp })
      .where(eq(packLinks.id, linkId))
  return link !== undefined
}

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

/** The link may require an access code. */
export const findPackSharedBySlug = async (db: Reader, slug: string) =>
  firstRow(await packSharedBySlug(db).execute({ slug }))

export const findLinkForInvitation = async (db: Queryable, packId: string) => {
  const requiresAccessCode = sql<boolean>`${packLinks.accessCodeHash} is not null`
  return firstRow(
    await db
      .select({ slug: packLinks.slug, requiresAccessCode })
      .from(packLinks)
      .where(and(eq(packLinks.packId, packId), isActiveLink(packLinks)))
      .orderBy(requiresAccessCode, desc(packLinks.createdAt), desc(packLinks.id))
      .limit(1),
  )
}
