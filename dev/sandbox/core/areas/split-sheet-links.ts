import { v7 as uuidv7 } from 'uuid'
import { CoreError } from '../core-error.ts'
import { type RegisterRoutes, replyCreated } from '../create-app.ts'
import { type Queryable, requireRow } from '../database.ts'
import { pathId, readBody } from '../input.ts'
import { createRateLimiter, visitorKey } from '../rate-limit.ts'
import { createToken, hashPathToken, isActiveLink, linkStatus, NewShareLink } from '../share-link.ts'
import { requireOwnedTrackId, rethrowAsTrackNotFound } from '../track-scope.ts'
import { findSplitSheet } from './split-sheet.ts'

interface SplitSheetLinkRow {
  readonly expiresAt: Date | null
}

interface LinkRow extends SplitSheetLinkRow {
  readonly id: string
}

const columns = (sql: Queryable) => sql`
  id, track_id, name, ${linkStatus(sql)} as status, token_preview, expires_at, created_at, updated_at`

const presentLink = <T extends SplitSheetLinkRow>({ expiresAt, ...link }: T) => ({
  ...link,
  ...(expiresAt && { expiresAt }),
})

export const splitSheetLinks: RegisterRoutes = (app, { sql }) => {
  app.get('/v1/tracks/:trackId/split-sheet/share-links', async (request) => {
    const links = await sql<LinkRow[]>`
      select ${columns(sql)} from split_sheet_links where track_id = ${requireOwnedTrackId(request)}
      order by created_at desc, id desc`
    return { records: links.map(presentLink) }
  })

  app.post('/v1/tracks/:trackId/split-sheet/share-links', async (request, reply) => {
    const trackId = requireOwnedTrackId(request)
    if (!(await findSplitSheet(sql, trackId))) throw new CoreError('split_sheet_not_found')
    const { name, expiresAt } = readBody(request, NewShareLink)
    const { token, tokenColumns } = createToken()
    const link = requireRow(
      await sql<LinkRow[]>`
        insert into split_sheet_links ${sql({ id: uuidv7(), trackId, name, expiresAt, ...tokenColumns })}
        returning ${columns(sql)}`.catch(rethrowAsTrackNotFound),
    )
    return replyCreated(reply, `/v1/tracks/${trackId}/split-sheet/share-links/${link.id}`).send({
      ...presentLink(link),
      token,
      sharePath: `/share/split-sheets/${token}`,
    })
  })

  app.delete('/v1/tracks/:trackId/split-sheet/share-links/:linkId', async (request, reply) => {
    const revoked = await sql`
      update split_sheet_links set revoked_at = coalesce(revoked_at, now()),
        updated_at = case when revoked_at is null then now() else updated_at end
      where id = ${pathId(request, 'linkId')} and track_id = ${requireOwnedTrackId(request)}`
    if (revoked.count === 0) throw new CoreError('share_link_not_found')
    return reply.code(204).send()
  })
}

interface SharedSheetLink extends SplitSheetLinkRow {
  readonly trackId: string
}

export const publicSplitSheets: RegisterRoutes = (app, { sql, settings }) => {
  const reads = createRateLimiter(settings.RATE_LIMIT_PUBLIC_READS)

  app.get('/v1/public/split-sheets/:token', async (request) => {
    reads.reserve(visitorKey(request, hashPathToken(request)))
    const [link] = await sql<SharedSheetLink[]>`
      select name, 'active' as status, token_preview, track_id, created_at, updated_at, expires_at
      from split_sheet_links where token_hash = ${hashPathToken(request)} and ${isActiveLink(sql)}`
    const splitSheet = link && (await findSplitSheet(sql, link.trackId))
    if (!splitSheet) throw new CoreError('split_sheet_link_not_found')
    return { link: presentLink(link), splitSheet }
  })
}
