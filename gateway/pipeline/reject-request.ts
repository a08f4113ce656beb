import { ApiError } from '#contracts/errors.ts'
import type { Ports } from '#native-routes/ports.ts'
import { requireOwnedTrack } from '#native-routes/tracks/require-owned-track.ts'
import type { RequestContext } from '../request/context.ts'
import type { Rejection } from '../request/decide.ts'
import { createMethodNotAllowedError } from '../request/response.ts'
import { authenticate, type Credentials } from './authenticate.ts'

export const createNotImplementedError = (path: string) =>
  new ApiError('native_route_not_implemented', { message: 'This route is not implemented natively.', path })

const createUnavailableError = () =>
  new ApiError('native_runtime_required', {
    message: 'This route is switched off, and nothing else serves it.',
  })

/** On a path below a track, checks the owner first, so the error does not reveal that someone else's track exists. */
export const rejectRequest = async (
  decision: Rejection,
  context: RequestContext,
  credentials: Credentials,
  { db }: Ports,
): Promise<never> => {
  switch (decision.kind) {
    case 'track-resource': {
      const { trackId, allow } = decision
      const token = await authenticate('actor', context.header('authorization'), credentials)
      if (token) await requireOwnedTrack(db.read, trackId, token.actor)
      throw allow === null ? new ApiError('track_resource_not_found') : createMethodNotAllowedError(allow)
    }
    case 'method-not-allowed':
      throw createMethodNotAllowedError(decision.allow)
    case 'not-implemented':
      throw createNotImplementedError(context.path)
    case 'unavailable':
      throw createUnavailableError()
  }
}
