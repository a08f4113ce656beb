import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Actor, requireActor } from './authenticate.ts'
import { CoreError } from './core-error.ts'
import { type Queryable, rethrowViolation } from './database.ts'
import { pathId } from './input.ts'
import { allMethods, rejectOtherMethods } from './method-not-allowed.ts'

declare module 'fastify' {
  interface FastifyRequest {
    ownedTrackId: string | null
  }
}

export const requireTrack = async (sql: Queryable, { accountId }: Actor, trackId: string | null) => {
  const [track] = await sql<{ id: string }[]>`
    select id from tracks where id = ${trackId} and owner_id = ${accountId}`
  if (!track) throw new CoreError('track_not_found')
  return track.id
}

/**
 * Registers the routes below `/v1/tracks/:trackId/`. Ownership is checked before anything else, so every request for
 * another account's track returns `track_not_found`.
 */
export const addTrackScope = (
  app: FastifyInstance,
  sql: Queryable,
  register: (scope: FastifyInstance) => void,
) => {
  app.decorateRequest('ownedTrackId', null)
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      request.ownedTrackId = await requireTrack(sql, requireActor(request), pathId(request, 'trackId'))
    })
    rejectOtherMethods(scope, () => register(scope))
    scope.route({
      url: '/v1/tracks/:trackId/:resource',
      method: allMethods,
      handler: () => {
        throw new CoreError('track_resource_not_found')
      },
    })
  })
}

export const requireOwnedTrackId = ({ ownedTrackId }: FastifyRequest): string => {
  if (ownedTrackId === null) throw new CoreError('track_not_found')
  return ownedTrackId
}

/** The violation means that the track has since been deleted. */
export const rethrowAsTrackNotFound = rethrowViolation('foreign key', 'track_not_found')
