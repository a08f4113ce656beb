import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { NativeRoute } from '#native-routes/define-route.ts'
import type { NativeWebhook } from '#native-routes/define-webhook.ts'
import type { Ports } from '#native-routes/ports.ts'
import { requireOwnedTrack } from '#native-routes/tracks/require-owned-track.ts'
import type { RequestContext } from '../request/context.ts'
import type { NativeDecision } from '../request/decide.ts'
import type { Params } from '../request/find-route.ts'
import { methodNotAllowed } from '../request/method-not-allowed.ts'
import type { GatewayResponse } from '../request/response.ts'
import { authenticate, type Credentials } from './authenticate.ts'
import { runRoute, runWebhook } from './run-route.ts'

export type HandlersByLabel = { readonly [L in Label]?: NativeRoute | NativeWebhook }

export interface NativeDependencies {
  readonly handlers: HandlersByLabel
  readonly credentials: Credentials
}

const notImplemented = (path: string) =>
  new ApiError('native_route_not_implemented', { message: 'This route is not implemented natively.', path })

const switchedOff = () =>
  new ApiError('native_runtime_required', {
    message: 'This route is switched off, and nothing else serves it.',
  })

// Below a track the track itself is judged first, so that nothing is told of a track that is not the caller's.
const refuseTrackResource = async (
  { trackId, allow }: Extract<NativeDecision, { kind: 'track-resource' }>,
  exchange: RequestContext,
  { credentials }: NativeDependencies,
  ports: Ports,
): Promise<never> => {
  const token = await authenticate('actor', exchange.header('authorization'), credentials)
  if (token) await requireOwnedTrack(ports.db.read, trackId, token.actor)
  throw allow === null ? new ApiError('track_resource_not_found') : methodNotAllowed(allow)
}

const runRow = async (
  { label, params }: { readonly label: Label; readonly params: Params },
  exchange: RequestContext,
  { handlers, credentials }: NativeDependencies,
  ports: Ports,
): Promise<GatewayResponse> => {
  const token = await authenticate(rowOf(label).auth, exchange.header('authorization'), credentials)
  const handler = handlers[label]
  if (!handler) throw notImplemented(exchange.path)
  return handler.kind === 'webhook'
    ? runWebhook({ handler, params, token, exchange, ports })
    : runRoute({ handler, params, token, exchange, ports })
}

/** What the gateway itself answers to a request; throws the refusals, and whatever went wrong, as errors. */
export const runNative = (
  decision: NativeDecision,
  exchange: RequestContext,
  parts: NativeDependencies,
  ports: Ports,
): Promise<GatewayResponse> => {
  switch (decision.kind) {
    case 'native':
      return runRow(decision, exchange, parts, ports)
    case 'track-resource':
      return refuseTrackResource(decision, exchange, parts, ports)
    case 'method-not-allowed':
      return Promise.reject(methodNotAllowed(decision.allow))
    case 'not-implemented':
      return Promise.reject(notImplemented(exchange.path))
    case 'killed':
      return Promise.reject(switchedOff())
  }
}
