import type { Label } from '#contracts/route-table.ts'
import { isDecidedByLink } from '#contracts/shared/row.ts'
import type { RequestContext } from '#gateway/request/context.ts'
import type { CompletedRequest } from '#gateway/request/route-control.ts'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'
import { maxVoters } from '../model/stop/rejections.ts'
import type { NativeGuard } from './guard.ts'

// FNV-1a, because this runs for every request to a two-sided route and must cost next to nothing. A weak hash is
// enough, because accounts cannot choose their ids.
const hashText = (text: string) => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

// A token ends with its signature, which differs between tokens.
const maxCredential = 64

// Neither side rejects a made-up token on a share link's route, so there only a verified one identifies a client.
const findCredential = (label: Label, context: RequestContext) =>
  isDecidedByLink(label) ? undefined : context.header('authorization')?.slice(-maxCredential)

const clientOf = (label: Label, context: RequestContext) =>
  context.verifiedToken?.actor.accountId ??
  findCredential(label, context) ??
  clientNetworkOf(context.clientAddress())

/** Returns the side that decided the status; null if neither did, for example because the token was invalid. */
const findSide = ({
  runtime,
  nativeResult,
  nativeMs,
  fallbackReason,
  unauthorizedReason,
}: RequestContext['outcome']) => {
  if (runtime === 'proxy') return fallbackReason === null ? 'core' : null
  return nativeResult === 'served' && nativeMs !== null && unauthorizedReason === null ? 'native' : null
}

export const countVote = (guard: Pick<NativeGuard, 'countVote'>, { context, status }: CompletedRequest) => {
  const { label, epoch } = context.outcome
  const side = findSide(context.outcome)
  if (label === 'unmatched' || side === null) return
  guard.countVote(label, { side, status, voter: hashText(clientOf(label, context)) % maxVoters, epoch })
}
