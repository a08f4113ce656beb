import type { FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { requireActor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { type Queryable, requireRow } from '../database.ts'
import { lockEntitlement, requireEntitlement, requireFeature } from '../entitlements.ts'
import { pathId, readBody } from '../input.ts'
import { lockQuota, requireQuotaLeft } from '../quotas.ts'
import { createToken, isActiveLink, linkStatus, NewShareLink } from '../share-link.ts'
import { requireOwnedTrackId, rethrowAsTrackNotFound } from '../track-scope.ts'

interface LinkRow {
  readonly id: string
  readonly status: 'active' | 'revoked' | 'expired'
}

const columns = (sql: Queryable) => sql`
  id, track_id, name, ${linkStatus(sql)} as status, token_preview, expires_at, revoked_at, created_at, updated_at`

const withToken = (link: LinkRow, token: string) => ({ ...link, token, sharePath: `/share/tracks/${token}` })

const lockLink = async (tx: Queryable, request: FastifyRequest) => {
  const [link] = await tx<LinkRow[]>`
    select ${columns(tx)} from track_share_links
    where id = ${pathId(request, 'linkId')} and track_id = ${requireOwnedTrackId(request)} for update`
  if (!link) throw new CoreError('share_link_not_found')
  return link
}

export const trackShareLinks: RegisterRoutes = (app, { sql, settings }) => {
  app.get('/v1/tracks/:trackId/share-links', async (request) => ({
    records: await sql`
      select ${columns(sql)} from track_share_links where track_id = ${requireOwnedTrackId(request)}
      order by created_at desc, id desc`,
  }))

  app.post('/v1/tracks/:trackId/share-links', async (request, reply) => {
    const [actor, trackId] = [requireActor(request), requireOwnedTrackId(request)]
    await requireEntitlement(sql, settings.BILLING_PLANS, actor, 'tracks.share')
    const { name, expiresAt } = readBody(request, NewShareLink)
    const { token, tokenColumns } = createToken()
    const link = await sql.begin(async (tx) => {
      await lockEntitlement(tx, actor, 'tracks.share')
      await requireEntitlement(tx, settings.BILLING_PLANS, actor, 'tracks.share')
      await requireQuotaLeft(tx, {
        quota: 'links',
        limit: settings.QUOTA_LINKS,
        subjectId: trackId,
        count: () => tx<{ used: number }[]>`
          select count(*)::int as used from track_share_links where track_id = ${trackId} and ${isActiveLink(tx)}`,
      })
      await tx`
        delete from track_share_links where id in (
          select id from track_share_links
          where track_id = ${trackId} and revoked_at is null and not (${isActiveLink(tx)})
          order by expires_at desc, id desc offset ${settings.QUOTA_REVOKED_LINKS})`
      return requireRow(
        await tx<LinkRow[]>`
          insert into track_share_links ${tx({ id: uuidv7(), trackId, name, expiresAt, ...tokenColumns })}
          returning ${columns(tx)}`.catch(rethrowAsTrackNotFound),
      )
    })
    return reply.code(201).send(withToken(link, token))
  })

  app.post('/v1/tracks/:trackId/share-links/:linkId/reset', async (request) => {
    await requireFeature(sql, settings.BILLING_PLANS, requireActor(request), 'tracks.share')
    return sql.begin(async (tx) => {
      const found = await lockLink(tx, request)
      if (found.status !== 'active') throw new CoreError('share_link_not_active')
      const { token, tokenColumns } = createToken()
      const link = requireRow(
        await tx<LinkRow[]>`
          update track_share_links set ${tx(tokenColumns)}, updated_at = now() where id = ${found.id}
          returning ${columns(tx)}`,
      )
      return withToken(link, token)
    })
  })

  app.delete('/v1/tracks/:trackId/share-links/:linkId', async (request, reply) => {
    const trackId = requireOwnedTrackId(request)
    await sql.begin(async (tx) => {
      const link = await lockLink(tx, request)
      if (link.status === 'revoked') return
      await lockQuota(tx, 'revoked_links', trackId)
      await tx`
        update track_share_links set revoked_at = statement_timestamp(), updated_at = statement_timestamp()
        where id = ${link.id}`
      await tx`
        delete from track_share_links where id in (
          select id from track_share_links where track_id = ${trackId} and revoked_at is not null
          order by revoked_at desc, id desc offset ${settings.QUOTA_REVOKED_LINKS})`
    })
    return reply.code(204).send()
  })
}
